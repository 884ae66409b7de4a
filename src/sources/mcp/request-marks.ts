import type { Progress } from "../source.ts";
import { isRecord } from "./message.ts";

/**
 * The client package checks whole lists and results against strict schemas, so that one odd tool would take its
 * server's whole list away (N8 hides that tool only), and it forgets progress that is read together with the answer.
 * A marked request is served past it: its result rides on a key that no JSON can hold, inside an empty one of the right
 * shape, and its progress is told directly. Marks never reach the wire.
 */
export interface RequestMarks {
  readonly raw: boolean;
  readonly onProgress: ((progress: Progress) => void) | null;
}

const MARKS = Symbol("marks");
const RAW = Symbol("raw answer");

const SHELLS: ReadonlyMap<string, object> = new Map([
  ["tools/list", { tools: [], ttlMs: 0, cacheScope: "private" }],
  ["tools/call", { content: [] }],
]);

export function markRequest<P extends object>(params: P, marks: RequestMarks): P & { _meta: Record<string, unknown> } {
  return { ...params, _meta: { [MARKS]: marks } };
}

/** The marks of an outgoing message. */
export function marksOf(message: Readonly<Record<string, unknown>>): RequestMarks | null {
  if (!isRecord(message.params) || !isRecord(message.params._meta)) return null;
  const marks: unknown = Reflect.get(message.params._meta, MARKS);
  return marks === undefined ? null : (marks as RequestMarks); // Only `markRequest` can write that key.
}

/** A well-formed answer with its result put aside; one that is not complete goes through as it is. */
export function wrapRaw(method: string, answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { result } = answer;
  const shell = SHELLS.get(method);
  if (!isRecord(result) || shell === undefined) return answer;
  const { resultType } = result;
  if (resultType !== undefined && resultType !== "complete") return answer;
  return { ...answer, result: { ...shell, ...(resultType === undefined ? {} : { resultType }), [RAW]: result } };
}

/** The result as the server sent it. */
export function unwrapRaw(result: unknown): unknown {
  return isRecord(result) ? (Reflect.get(result, RAW) ?? result) : result;
}

/** Takes any result; checking is what the reader of the raw answer does. */
export const ANY_RESULT = {
  "~standard": { version: 1, vendor: "toolcrib", validate: (value: unknown) => ({ value }) },
} as const;
