import { isRecord } from "../../core/shape/is-record.ts";
import { CLIENT_HOOKS, type GuardPart } from "./guard-parts.ts";
import type { HookClientName } from "./hook-clients.ts";
import { CLIENT_SECONDS } from "./hook-line.ts";

/** What each client fills into the arguments of a tool that a hook asks. A field that Codex does not know fails its hook. */
const FIELDS = {
  "claude-code": { agent: "${agent_id}" },
  codex: {},
} as const satisfies Partial<Record<HookClientName, Readonly<Record<string, string>>>>;

/** Clients whose hooks can ask a tool of a server, and so start no process. */
export type ToolHookClient = keyof typeof FIELDS;

export function isToolHookClient(client: string): client is ToolHookClient {
  return Object.hasOwn(FIELDS, client);
}

/** What goes into the client's file in the place of a line. */
export function toolHookParts(client: ToolHookClient, server: string): readonly GuardPart[] {
  return CLIENT_HOOKS[client]
    .parts("")
    .map((part) =>
      part.kind === "item" && isRecord(part.item)
        ? { ...part, item: { ...part.item, hooks: [toolHook(client, server)] } }
        : part,
    );
}

/** A hook that asks the tool `judge` of our gateway, which the client lists under this name. */
function toolHook(client: ToolHookClient, server: string): object {
  const filled = {
    tool: "${tool_name}",
    input: "${tool_input}",
    cwd: "${cwd}",
    session: "${session_id}",
    call: "${tool_use_id}",
  };
  const input = { client, ...filled, ...FIELDS[client] };
  return { type: "mcp_tool", server, tool: "judge", input, timeout: CLIENT_SECONDS };
}

/** The server that such a hook asks; null if it is none of ours. */
export function toolHookServer(hook: unknown, client: HookClientName | null): string | null {
  if (!isRecord(hook) || hook.type !== "mcp_tool" || hook.tool !== "judge" || !isRecord(hook.input)) return null;
  return hook.input.client === client && typeof hook.server === "string" ? hook.server : null;
}
