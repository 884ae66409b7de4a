import { type Answer, listen, statelessAnswer } from "../support/loopback-mcp.ts";
import type { AuthServer } from "./auth-server.ts";

/** What the server says about itself that it should not. */
export interface Oddities {
  /** Its description (RFC 9728), changed. */
  readonly described?: (description: Record<string, unknown>) => Record<string, unknown>;
  /** Where it says that its description is. */
  readonly descriptionUrl?: string;
  /** Answers in place of everything else; false to leave it. */
  readonly first?: (...exchange: Parameters<Answer>) => boolean;
}

/** A real MCP server that answers nobody without a token for it. */
export async function startProtectedMcp(auth: AuthServer, odd: Oddities = {}) {
  const { answer } = statelessAnswer();
  const server = await listen((request, response, body) => {
    if (odd.first?.(request, response, body) === true) return undefined;
    if (request.url?.startsWith("/.well-known/oauth-protected-resource")) {
      const description = { resource: server.url, authorization_servers: [auth.issuer], scopes_supported: ["tools"] };
      const text = JSON.stringify(odd.described?.(description) ?? description);
      return response.writeHead(200, { "content-type": "application/json" }).end(text);
    }
    const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    if (auth.valid.get(token) === server.url) return answer(request, response, body);
    const place = odd.descriptionUrl ?? `${server.origin}/.well-known/oauth-protected-resource/mcp`;
    const challenge = `Bearer resource_metadata="${place}"`;
    return response.writeHead(401, { "www-authenticate": challenge }).end(`no: ${token}`);
  });
  return server;
}

/** A person's browser: follows from the first page to the one that the login returns to. */
export async function browse(address: string): Promise<string> {
  const page = await fetch(address, { redirect: "manual" });
  const back = page.headers.get("location");
  if (back === null) throw new Error(`the authorization server answered ${page.status}: ${await page.text()}`);
  return back;
}

/** The address that a login shows to a person. */
export function findAddress(text: string): string | null {
  return /^ {2}(https?:\/\/\S+)$/m.exec(text)?.[1] ?? null;
}
