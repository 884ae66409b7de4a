import type { DescribedClient } from "./client-document.ts";

/**
 * What documents of common clients say, for networks from which they cannot be fetched: many have no way out, and some of
 * these hosts turn data centres away. A live document counts before the one here.
 */
const CLIENTS: readonly DescribedClient[] = [
  {
    id: "https://claude.ai/oauth/claude-code-client-metadata",
    name: "Claude Code",
    redirects: ["http://localhost/callback", "http://127.0.0.1/callback"],
  },
  {
    id: "https://claude.ai/oauth/mcp-oauth-client-metadata",
    name: "Claude",
    redirects: ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
  },
  {
    id: "https://chatgpt.com/oauth/client.json",
    name: "ChatGPT",
    redirects: ["https://chatgpt.com/connector_platform_oauth_redirect"],
  },
  {
    id: "https://chatgpt.com/oauth/codex/client.json",
    name: "Codex",
    redirects: ["http://127.0.0.1/callback", "http://localhost/callback"],
  },
  {
    id: "https://vscode.dev/oauth/client-metadata.json",
    name: "Visual Studio Code",
    redirects: ["http://127.0.0.1/", "http://localhost/", "https://vscode.dev/redirect"],
  },
];

export const PINNED_CLIENTS: ReadonlyMap<string, DescribedClient> = new Map(
  CLIENTS.map((client) => [client.id, client]),
);
