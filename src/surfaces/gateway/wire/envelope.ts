import { type Incoming, isObject, type Params, type Refusal, refuseRequest } from "./json-rpc.ts";
import { ERROR, isLogLevel, isModernVersion, type LogLevel, META, MODERN_VERSIONS } from "./protocol.ts";

/** What a request of the newer protocol says about itself. */
export interface ProtocolEnvelope {
  readonly version: string;
  readonly clientName: string | null;
  readonly capabilities: Params;
  readonly logLevel: LogLevel | null;
  readonly progressToken: string | number | null;
  readonly meta: Params;
}

/** Headers that repeat parts of the body, so that routers need not read it; absent on stdio. */
export interface RoutingHeaders {
  readonly version: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

type Message = Extract<Incoming, { kind: "request" | "notification" }>;

/** Which protocol a message belongs to: the body decides; only a notification without a version goes by its header. */
export function isModern({ kind, method, params }: Message, header: string | undefined): boolean {
  const meta = isObject(params._meta) ? params._meta : {};
  if (method === "initialize" && kind === "request") return isComplete(meta);
  return META.version in meta || (header !== undefined && isModernVersion(header));
}

export function readEnvelope({ params }: Message): ProtocolEnvelope | Refusal {
  const meta = isObject(params._meta) ? params._meta : {};
  const missing = [META.version, META.capabilities].filter((key) => meta[key] === undefined);
  if (missing.length > 0)
    return refuseRequest(ERROR.params, `the request lacks ${missing.join(" and ")} in its _meta`, { missing });
  const { [META.version]: version, [META.capabilities]: capabilities, [META.client]: client } = meta;
  if (typeof version !== "string") return refuseRequest(ERROR.params, `${META.version} is not a text`);
  if (!isObject(capabilities)) return refuseRequest(ERROR.params, `${META.capabilities} is not an object`);
  if (client !== undefined && !(isObject(client) && typeof client.name === "string"))
    return refuseRequest(ERROR.params, `${META.client} does not name a client`);
  const level = meta[META.logLevel];
  if (level !== undefined && !isLogLevel(level)) return refuseRequest(ERROR.params, `${META.logLevel} is not a level`);
  const { progressToken: token } = meta;
  return {
    version,
    clientName: isObject(client) && typeof client.name === "string" ? client.name : null,
    capabilities,
    logLevel: level ?? null,
    progressToken: typeof token === "string" || typeof token === "number" ? token : null,
    meta,
  };
}

export function checkVersion({ version }: ProtocolEnvelope): Refusal | null {
  if (MODERN_VERSIONS.includes(version)) return null;
  return refuseRequest(ERROR.version, `Unsupported protocol version: ${version.slice(0, 100)}`, {
    supported: [...MODERN_VERSIONS],
    requested: version,
  });
}

/** A version on which header and body disagree is refused. */
export function checkVersionHeader({ version }: ProtocolEnvelope, header: string | undefined): Refusal | null {
  return header === undefined || header === version ? null : headerMismatch("MCP-Protocol-Version", header, version);
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/** Headers, by which a proxy routes, must say the same as the body. */
export function checkHeaders({ method, params }: Message, headers: RoutingHeaders): Refusal | null {
  if (headers.version === undefined) return headerMismatch("MCP-Protocol-Version", "(missing)", "the body");
  if (headers.method === undefined) return headerMismatch("Mcp-Method", "(missing)", method);
  if (headers.method !== method) return headerMismatch("Mcp-Method", headers.method, method);
  const field = NAMED.get(method);
  const inBody = field === undefined ? undefined : params[field];
  if (typeof inBody !== "string") return null;
  if (headers.name === undefined) return headerMismatch("Mcp-Name", "(missing)", inBody);
  const decoded = decodeHeader(headers.name);
  return decoded === inBody ? null : headerMismatch("Mcp-Name", headers.name, inBody);
}

export function textHeader(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value.trim() : undefined;
}

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** Texts that a header cannot hold come encoded; null if the encoding is broken. */
export function decodeHeader(value: string): string | null {
  if (!value.startsWith("=?base64?") || !value.endsWith("?=")) return value;
  const found = ENCODED.exec(value)?.[1];
  if (found === undefined || found.length % 4 !== 0) return null;
  const bytes = Buffer.from(found, "base64");
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : null;
}

export function headerMismatch(header: string, found: string, body: string): Refusal {
  const shown = body.slice(0, 200);
  return refuseRequest(ERROR.headers, `the header ${header} does not agree with the body`, {
    mismatch: { header: found.slice(0, 200), body: shown },
  });
}

/** A complete envelope of a modern version; anything less leaves `initialize` to the older protocol. */
function isComplete(meta: Params): boolean {
  const version = meta[META.version];
  return typeof version === "string" && isModernVersion(version) && isObject(meta[META.capabilities]);
}
