import { isRecord, type JsonObject, listOf, objectOf, textOrNull } from "../../shape/json-value.ts";
import { createCallLog, type OpenCall, toServerId } from "../stream/call-log.ts";
import { addPartialArguments } from "../stream/partial-arguments.ts";
import type { StopReason, StreamPart, StreamReader } from "../stream/stream-part.ts";
import type { Names } from "../tools/names.ts";

const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ["STOP", "end"],
  ["MAX_TOKENS", "length"],
  ...["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"].map(
    (raw) => [raw, "malformed"] as const,
  ),
  ...["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"].map(
    (raw) => [raw, "refusal"] as const,
  ),
]);

/** Gemini's chunks. A call arrives whole, unless the provider was asked to stream arguments. */
export function createGeminiReader(names: Names): StreamReader {
  const log = createCallLog(names);
  let partial: { readonly call: OpenCall; readonly args: JsonObject } | null = null;

  const pushCall = (given: JsonObject): readonly StreamPart[] => {
    const id = textOrNull(given.id);
    if (partial === null || (textOrNull(given.name) !== null && !(id !== null && id === toServerId(partial.call.id)))) {
      const { call, parts } = log.begin(id, String(given.name));
      if (given.willContinue !== true && given.partialArgs === undefined)
        return [...parts, ...log.complete(call, given.args)];
      partial = { call, args: { ...objectOf(given.args) } };
      return [...parts, ...addPieces(given)];
    }
    return addPieces(given);
  };
  const addPieces = (given: JsonObject): readonly StreamPart[] => {
    if (partial === null) return [];
    const { call, args } = partial;
    addPartialArguments(args, given.partialArgs);
    if (given.willContinue === true) return [];
    partial = null;
    return log.complete(call, args);
  };

  return {
    push(chunk) {
      const { candidates, promptFeedback } = objectOf(chunk);
      const blocked = textOrNull(objectOf(promptFeedback).blockReason);
      if (blocked !== null) return [{ type: "refusal", text: "" }, ...log.stop("refusal", blocked)];
      const { content, finishReason } = objectOf(listOf(candidates)[0]);
      const parts = listOf(objectOf(content).parts)
        .filter(isRecord)
        .flatMap((part): readonly StreamPart[] => {
          if (isRecord(part.functionCall)) return pushCall(part.functionCall);
          if (typeof part.text !== "string" || part.text === "" || part.thought === true) return [];
          return [{ type: "text", text: part.text }];
        });
      const raw = textOrNull(finishReason);
      if (raw === null || raw === "FINISH_REASON_UNSPECIFIED") return parts;
      const reason = STOPS.get(raw) ?? "error";
      const refused: StreamPart[] = reason === "refusal" ? [{ type: "refusal", text: "" }] : [];
      return [...parts, ...refused, ...log.stop(reason, raw)];
    },
    end: (failed) => log.stop(failed ? "error" : "cut", null),
  };
}
