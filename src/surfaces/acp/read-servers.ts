import { isRecord } from "../../core/shape/is-record.ts";

/** The MCP servers of an editor's request, in the shape of `mcpServers`; null if they cannot be read. */
export function readEditorServers(given: unknown): Readonly<Record<string, object>> | null {
  if (given === undefined || given === null) return {};
  if (!Array.isArray(given)) return null;
  const entries = given.map(readServer);
  return entries.some((entry) => entry === null) ? null : Object.fromEntries(entries.filter((entry) => entry !== null));
}

function readServer(server: unknown): [string, object] | null {
  if (!isRecord(server) || typeof server.name !== "string" || server.name === "") return null;
  const { name, type, command, args, env, url, headers } = server;
  if (typeof command === "string") return [name, { command, args: args ?? [], env: toMap(env) }];
  if (typeof url !== "string" || (type !== "http" && type !== "sse")) return null;
  return [name, { type, url, headers: toMap(headers) }];
}

/** Pairs of name and value, the protocol's form. */
function toMap(pairs: unknown): Readonly<Record<string, unknown>> {
  const list = Array.isArray(pairs) ? pairs.filter(isRecord) : [];
  return Object.fromEntries(list.map(({ name, value }) => [String(name), value]));
}
