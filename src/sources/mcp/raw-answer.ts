import { isRecord } from "./message.ts";

/**
 * The client package checks whole lists and results against strict schemas, so that one odd tool would take its
 * server's whole list away (N8 hides that tool only). A request marked with `WANTED` gets its result back as it came:
 * the client sees an empty one of the right shape, and the real one rides on a key that no JSON can hold.
 */
const WANTED = Symbol("raw answer wanted");
const RAW = Symbol("raw answer");

type RawMethod = "tools/list" | "tools/call";

const SHELLS = {
  "tools/list": { tools: [], ttlMs: 0, cacheScope: "private" },
  "tools/call": { content: [] },
} as const satisfies Record<RawMethod, object>;

/** Parameters whose request is to be answered raw. The mark never reaches the wire. */
export function askRaw(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...params, _meta: { [WANTED]: true } };
}

/** Which raw answer an outgoing message asks for. */
export function rawMethodOf(message: unknown): RawMethod | null {
  if (!isRecord(message) || !isRecord(message.params) || !isRecord(message.params._meta)) return null;
  if (Reflect.get(message.params._meta, WANTED) !== true) return null;
  return message.method === "tools/list" || message.method === "tools/call" ? message.method : null;
}

/** A well-formed answer with its result put aside; one that is not complete goes through as it is. */
export function wrapRaw(method: RawMethod, answer: Record<string, unknown>): Record<string, unknown> {
  const { result } = answer;
  if (!isRecord(result)) return answer;
  const { resultType } = result;
  if (resultType !== undefined && resultType !== "complete") return answer;
  const shell = { ...SHELLS[method], ...(resultType === undefined ? {} : { resultType }), [RAW]: result };
  return { ...answer, result: shell };
}

/** The result as the server sent it. */
export function unwrapRaw(result: unknown): unknown {
  return isRecord(result) ? (Reflect.get(result, RAW) ?? result) : result;
}

/** Takes any result; checking is what the reader of the raw answer does. */
export const ANY_RESULT = {
  "~standard": { version: 1, vendor: "toolcrib", validate: (value: unknown) => ({ value }) },
} as const;
