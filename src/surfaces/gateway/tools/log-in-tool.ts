import { isObject } from "../wire/json-rpc.ts";

/** Stands for the tools of servers where the person behind a client has no login yet, so that a list is never empty (O12). */
export const LOG_IN_TOOL = "log_in";

export function toLogInTool(name: string, servers: readonly string[]) {
  const named = servers.join(", ");
  return {
    name,
    description: `Starts a login of the person you work for. Their tools of these servers are not listed before that: ${named}. Call it when they want something of one of them.`,
    inputSchema: {
      type: "object",
      properties: { server: { type: "string", enum: servers, description: "The server to log in at" } },
      required: ["server"],
    },
    annotations: { readOnlyHint: false, idempotentHint: true, openWorldHint: true },
  };
}

/** The server that is named, or the only one there is; null if it is none of them. */
export function toLogInServer(args: unknown, servers: readonly string[]): string | null {
  const named = isObject(args) ? args.server : undefined;
  const [only] = servers.length === 1 ? servers : [];
  const server = named ?? only;
  return typeof server === "string" && servers.includes(server) ? server : null;
}
