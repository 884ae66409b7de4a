import { isRecord, type JsonObject, listOf, objectOf, parseArguments, textOrNull } from "../../shape/json-value.ts";
import { createCallLog, type OpenCall } from "../stream/call-log.ts";
import { createJsonEnd, type JsonEnd } from "../stream/json-end.ts";
import type { StopReason, StreamPart, StreamReader } from "../stream/stream-part.ts";
import type { Names } from "../tools/names.ts";

const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ["tool_calls", "calls"],
  ["function_call", "calls"],
  ["stop", "end"],
  ["length", "length"],
  ["content_filter", "refusal"],
]);

interface Fragment {
  readonly call: OpenCall;
  /** As the server gave it; a suffix distinguishes calls that share an id. */
  readonly id: string | null;
  readonly name: string;
  readonly end: JsonEnd;
  json: string;
}

/**
 * Chat Completions chunks. They do not mark the end of a call, so it is found in the arguments: a closed object is
 * complete. Tolerates servers that reuse or omit indexes, repeat ids or interleave fragments.
 */
export function createChatReader(names: Names): StreamReader {
  const log = createCallLog(names);
  const byIndex = new Map<number, Fragment>();
  const fragments: Fragment[] = [];
  let refused = false;

  const begin = (
    index: number,
    id: string | null,
    name: string,
  ): { fragment: Fragment; parts: readonly StreamPart[] } => {
    const { call, parts } = log.begin(id, name);
    const fragment = { call, id, name, end: createJsonEnd(), json: "" };
    byIndex.set(index, fragment);
    fragments.push(fragment);
    return { fragment, parts };
  };
  const pushFragment = (piece: JsonObject): readonly StreamPart[] => {
    const id = textOrNull(piece.id) || null;
    const { name: given, arguments: text } = objectOf(piece.function);
    const name = textOrNull(given) || null;
    const index = typeof piece.index === "number" ? piece.index : findIndex(id, name);
    const open = byIndex.get(index);
    const isNew = open === undefined || (id === null ? isNext(open, name, text) : id !== open.id);
    if (isNew && name === null) return [];
    const { fragment, parts } = isNew ? begin(index, id, name ?? "") : { fragment: open, parts: [] };
    const added = typeof text === "string" ? text : isRecord(text) ? JSON.stringify(text) : "";
    fragment.json += added;
    fragment.end.push(added);
    const isDone = fragment.end.isWhole && isRecord(parseArguments(fragment.json));
    return [...parts, ...(isDone ? log.complete(fragment.call, fragment.json) : [])];
  };
  const findIndex = (id: string | null, name: string | null): number => {
    const same = [...byIndex].find(([, fragment]) => id !== null && fragment.id === id);
    if (same !== undefined) return same[0];
    return id !== null || name !== null ? byIndex.size : byIndex.size - 1;
  };
  const stop = (raw: string): readonly StreamPart[] => {
    // Compatible servers have their own names for an ordinary end.
    const reason = refused ? "refusal" : (STOPS.get(raw) ?? "end");
    const isWhole = reason === "calls" || reason === "end";
    const rest = isWhole ? fragments.flatMap(({ call, json }) => log.complete(call, json)) : [];
    return [...rest, ...log.stop(reason, raw)];
  };

  return {
    push(event) {
      const { choices, error } = objectOf(event);
      if (isRecord(error)) return log.stop("error", textOrNull(error.code) ?? textOrNull(error.type));
      const choice = listOf(choices).find((one) => (objectOf(one).index ?? 0) === 0);
      const { delta: streamed, message, finish_reason } = objectOf(choice);
      const delta = objectOf(streamed ?? message);
      const parts: StreamPart[] = [];
      if (typeof delta.content === "string" && delta.content !== "") parts.push({ type: "text", text: delta.content });
      if (typeof delta.refusal === "string" && delta.refusal !== "") {
        refused = true;
        parts.push({ type: "refusal", text: delta.refusal });
      }
      for (const piece of listOf(delta.tool_calls).filter(isRecord)) parts.push(...pushFragment(piece));
      return typeof finish_reason === "string" ? [...parts, ...stop(finish_reason)] : parts;
    },
    end: (failed) => log.stop(failed ? "error" : "cut", null),
  };
}

/** Without an id, a name after complete arguments begins another call, unless it only repeats the last name. */
function isNext(open: Fragment, name: string | null, text: unknown): boolean {
  if (name === null || !open.end.isWhole) return false;
  return name !== open.name || (typeof text === "string" ? text !== "" : text !== undefined);
}
