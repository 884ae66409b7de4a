import { isJson, type Json } from "./wire-values.ts";

/** Writes down what goes over a connection, for somebody who looks for a fault. */
export interface WireLog {
  sent(message: object): void;
  received(message: unknown): void;
}

/**
 * Values are written only where they cannot be secret: ids, names and kinds. Of all others the log has the size, because
 * keys, tokens and what people say may be in any of them.
 */
const SHOWN: ReadonlySet<string> = new Set([
  ...["sessionId", "requestId", "messageId", "toolCallId", "agentId", "eventType", "type", "kind", "toolName"],
  ...["hookType", "model", "mode", "code", "success", "protocolVersion"],
]);

/** Parts of the protocol itself, whose members have names of the protocol. */
const OPENED: ReadonlySet<string> = new Set(["event", "data", "permissionRequest"]);

export function createWireLog(id: string, write: (line: string) => void): WireLog {
  const log = (sign: string, asked: Map<unknown, string>, answered: Map<unknown, string>) => (message: unknown) => {
    if (!isJson(message)) return write(`${id} ${sign} no message`);
    const { id: number, method, params, result, error } = message;
    const mark = number === undefined ? "" : ` #${String(number).slice(0, 40)}`;
    if (typeof method === "string") {
      if (number !== undefined) asked.set(number, method);
      return write(`${id} ${sign} ${method.slice(0, 100)}${mark} ${describe(params)}`);
    }
    const name = answered.get(number) ?? "?";
    answered.delete(number);
    const said = error === undefined ? `answer ${describe(result)}` : `error ${describe(error)}`;
    return write(`${id} ${sign} ${name.slice(0, 100)}${mark} ${said}`);
  };
  const [theirs, ours] = [new Map<unknown, string>(), new Map<unknown, string>()];
  return { sent: log("<-", ours, theirs), received: log("->", theirs, ours) };
}

function describe(value: unknown): string {
  return isJson(value) ? describeMembers(value) : sizeOf(value);
}

function describeMembers(value: Json): string {
  const members = Object.entries(value).map(([name, member]) => `${name}: ${describeMember(name, member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function describeMember(name: string, value: unknown): string {
  if (OPENED.has(name) && isJson(value)) return describeMembers(value);
  if (typeof value === "boolean" || value === null) return String(value);
  const isShown = SHOWN.has(name) && (typeof value === "string" || typeof value === "number");
  return isShown ? JSON.stringify(value).slice(0, 200) : sizeOf(value);
}

function sizeOf(value: unknown): string {
  if (typeof value === "string") return `text(${value.length})`;
  if (Array.isArray(value)) return `list(${value.length})`;
  return isJson(value) ? `object(${Object.keys(value).length})` : typeof value;
}
