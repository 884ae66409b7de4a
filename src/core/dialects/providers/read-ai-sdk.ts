import { isRecord, listOf, objectOf, textOrNull } from "../../shape/json-value.ts";
import { type Announced, createCallLog } from "../stream/call-log.ts";
import type { StopReason, StreamPart, StreamReader } from "../stream/stream-part.ts";
import type { Names } from "../tools/names.ts";

const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ["tool-calls", "calls"],
  ["stop", "end"],
  ["length", "length"],
  ["content-filter", "refusal"],
]);

/** The parts of `streamText().fullStream` and of a provider's `doStream`, which differ in a few fields. */
export function createAiSdkReader(names: Names): StreamReader {
  const log = createCallLog(names);
  /** A complete call cannot continue, so the same id begins another call. */
  const announce = (id: string | null, name: string): Announced => {
    const last = id === null ? undefined : log.withId(id).at(-1);
    return last?.state === "open" ? { call: last, parts: [] } : log.begin(id, name);
  };
  let answered = false;
  return {
    push(event): readonly StreamPart[] {
      const part = objectOf(event);
      const isTheirs = part.providerExecuted === true;
      switch (part.type) {
        case "text-delta":
          return [{ type: "text", text: String(part.text ?? part.delta) }];
        case "tool-input-start":
          return isTheirs ? [] : announce(textOrNull(part.id), String(part.toolName)).parts;
        case "tool-call": {
          if (isTheirs) return [];
          const { call, parts } = announce(textOrNull(part.toolCallId), String(part.toolName));
          // The SDK answers calls that it found invalid, and the model waits for the next request.
          if (part.invalid === true) {
            answered = true;
            return log.drop((one) => one === call, "incomplete");
          }
          return [...parts, ...log.complete(call, part.input)];
        }
        case "finish": {
          const raw = textOrNull(part.finishReason) ?? textOrNull(objectOf(part.finishReason).unified);
          const reason = STOPS.get(raw ?? "") ?? "error";
          const refused: StreamPart[] = reason === "refusal" ? [{ type: "refusal", text: "" }] : [];
          return [...refused, ...log.stop(answered && reason === "end" ? "calls" : reason, raw)];
        }
        case "abort":
          return log.stop("cut", "abort");
        case "error":
          return log.stop("error", null);
        default:
          return [];
      }
    },
    end: (failed) => log.stop(failed ? "error" : "cut", null),
  };
}

/** The result of `generateText` or of a provider's `doGenerate` as the equivalent stream parts. */
export function* toAiSdkParts(result: unknown): Generator<unknown> {
  const { content, finishReason } = objectOf(result);
  for (const part of listOf(content).filter(isRecord))
    yield part.type === "text" ? { type: "text-delta", text: part.text } : part;
  yield { type: "finish", finishReason };
}
