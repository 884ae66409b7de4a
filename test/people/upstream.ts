import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { type Answer, type Loopback, listen } from "../support/loopback-mcp.ts";

/** A server with accounts: what it lists and says is about the account of the token that comes, and sessions belong to one account. */
export interface Upstream extends Loopback {
  /** What went over from one account to another one; nothing, if all is well. */
  readonly crossed: readonly string[];
  /** How often refresh tokens were used, and used again. */
  readonly refreshes: { used: number; reused: number };
  /** Tokens that were given out, all of which are secret. */
  readonly tokens: readonly string[];
  /** A new login of an account. */
  logIn(account: string): { readonly access: string; readonly refresh: string };
  /** The tokens that an account has now no longer work, except to be renewed. */
  expire(account: string): void;
  /** A word that all about this account contains. */
  secretOf(account: string): string;
}

interface Session {
  readonly account: string;
  readonly notes: string[];
}

const METHODS = { tools: {}, prompts: {}, resources: {} };

export interface UpstreamOptions {
  /** Whose it is that comes with these headers; of a token that was given out if absent. */
  readonly accountOf?: (headers: IncomingHttpHeaders) => Promise<string | null> | string | null;
}

export async function startUpstream({ accountOf }: UpstreamOptions = {}): Promise<Upstream> {
  const access = new Map<string, string>();
  const refresh = new Map<string, string>();
  const used = new Set<string>();
  const sessions = new Map<string, Session>();
  const crossed: string[] = [];
  const tokens: string[] = [];
  const refreshes = { used: 0, reused: 0 };
  const secretOf = (account: string): string => `canary-${account}-only`;

  const logIn = (account: string) => {
    const given = { access: `access-${account}-${randomUUID()}`, refresh: `refresh-${account}-${randomUUID()}` };
    access.set(given.access, account);
    refresh.set(given.refresh, account);
    tokens.push(given.access, given.refresh);
    return given;
  };
  const expire = (account: string): void => {
    for (const [token, owner] of access) if (owner === account) access.delete(token);
  };

  const renew = (body: string, response: ServerResponse): void => {
    const token = new URLSearchParams(body).get("refresh_token") ?? "";
    const account = refresh.get(token);
    if (account === undefined) {
      if (used.has(token)) refreshes.reused += 1;
      json(response, 400, { error: "invalid_grant" });
      return;
    }
    refreshes.used += 1;
    refresh.delete(token);
    used.add(token);
    expire(account);
    const next = logIn(account);
    json(response, 200, {
      access_token: next.access,
      refresh_token: next.refresh,
      token_type: "Bearer",
      expires_in: 3600,
    });
  };

  const byToken = (headers: IncomingHttpHeaders): string | null =>
    access.get(/^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? String(headers["x-api-key"])) ?? null;

  const answer: Answer = async (request, response, body) => {
    if (request.url === "/token") return renew(body, response);
    const account = await (accountOf ?? byToken)(request.headers);
    if (account === null) return json(response, 401, { error: "who is this?" });
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    const reply = (result: object, headers: object = {}): void =>
      json(response, 200, { jsonrpc: "2.0", id, result }, headers);
    if (method === "initialize") {
      const session = randomUUID();
      sessions.set(session, { account, notes: [] });
      const result = {
        protocolVersion: params.protocolVersion,
        capabilities: METHODS,
        serverInfo: { name: "up", version: "1" },
      };
      return reply(result, { "mcp-session-id": session });
    }
    const session = sessions.get(String(request.headers["mcp-session-id"]));
    if (session === undefined)
      return json(response, 404, { jsonrpc: "2.0", id, error: { code: -32000, message: "no session" } });
    if (session.account !== account) crossed.push(`${method} of ${account} in a session of ${session.account}`);
    if (id === undefined) return response.writeHead(202).end();
    const result = handle(method, params, { secret: secretOf(account), session });
    if (result === null)
      return json(response, 200, { jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } });
    return reply(result);
  };
  const server = await listen(answer);
  return { ...server, crossed, refreshes, tokens, logIn, expire, secretOf };
}

function handle(
  method: string,
  params: { readonly name?: string; readonly uri?: string; readonly arguments?: { readonly text?: string } } = {},
  { secret, session }: { readonly secret: string; readonly session: Session },
): object | null {
  const text = (value: string) => ({ content: [{ type: "text", text: value }] });
  const tool = (name: string) => ({ name, description: `For ${secret}`, inputSchema: { type: "object" } });
  switch (method) {
    case "tools/list":
      return { tools: ["whoami", "keep", "recall", `own-${secret}`].map(tool) };
    case "tools/call":
      if (params.name === "keep") session.notes.push(params.arguments?.text ?? "");
      return text(JSON.stringify([secret, ...session.notes]));
    case "prompts/list":
      return { prompts: [{ name: `prompt-${secret}`, description: `For ${secret}` }] };
    case "prompts/get":
      return { messages: [{ role: "user", content: { type: "text", text: `${params.name} for ${secret}` } }] };
    case "resources/list":
      return {
        resources: [
          { uri: `up://${secret}`, name: secret },
          { uri: "up://mine", name: `mine of ${secret}` },
        ],
      };
    case "resources/read":
      return { contents: [{ uri: params.uri, text: `${params.uri} of ${secret}` }] };
    default:
      return null;
  }
}

function json(response: ServerResponse, status: number, value: object, headers: object = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}
