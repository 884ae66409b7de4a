import { isRecord, type JsonObject, listOf, objectOf, textOrNull } from "../../shape/json-value.ts";
import { createCallLog, type OpenCall } from "../stream/call-log.ts";
import type { StopReason, StreamPart, StreamReader } from "../stream/stream-part.ts";
import type { Names } from "../tools/names.ts";

const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ["tool_use", "calls"],
  ["end_turn", "end"],
  ["stop_sequence", "end"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "refusal"],
  ["pause_turn", "pause"],
]);

interface Block {
  readonly call: OpenCall;
  readonly input: unknown;
  json: string;
}

/** Anthropic's events. A call is complete at its `content_block_stop`; blocks are identified by index. */
export function createAnthropicReader(names: Names): StreamReader {
  const log = createCallLog(names);
  const blocks = new Map<unknown, Block>();
  let raw: string | null = null;
  let started = false;

  const startBlock = (index: unknown, block: JsonObject): readonly StreamPart[] => {
    const left = blocks.get(index);
    blocks.delete(index);
    const replaced = left === undefined ? [] : log.drop((call) => call === left.call, "replaced");
    // Calls of a model that declined must not run: another model answers from here on.
    if (block.type === "fallback") return [...replaced, ...log.drop(() => true, "fallback")];
    if (block.type === "text" && block.text) return [...replaced, { type: "text", text: String(block.text) }];
    if (block.type !== "tool_use") return replaced;
    const { call, parts } = log.begin(textOrNull(block.id), String(block.name));
    blocks.set(index, { call, input: block.input, json: "" });
    return [...replaced, ...parts];
  };
  const pushDelta = (index: unknown, delta: JsonObject): readonly StreamPart[] => {
    if (delta.type === "text_delta") return [{ type: "text", text: String(delta.text) }];
    const block = blocks.get(index);
    if (delta.type === "input_json_delta" && block !== undefined) block.json += String(delta.partial_json);
    return [];
  };
  const endBlock = (index: unknown): readonly StreamPart[] => {
    const block = blocks.get(index);
    if (block === undefined) return [];
    blocks.delete(index);
    return log.complete(block.call, block.json === "" ? block.input : block.json);
  };
  const stop = (): readonly StreamPart[] => {
    const reason = raw === null ? "cut" : (STOPS.get(raw) ?? "error");
    const refused: StreamPart[] = reason === "refusal" ? [{ type: "refusal", text: "" }] : [];
    return [...refused, ...log.stop(reason, raw)];
  };

  return {
    push(event) {
      const { type, index, content_block, delta } = objectOf(event);
      switch (type) {
        case "message_start": {
          const again = started;
          started = true;
          blocks.clear();
          return again ? log.drop(() => true, "replaced") : [];
        }
        case "content_block_start":
          return startBlock(index, objectOf(content_block));
        case "content_block_delta":
          return pushDelta(index, objectOf(delta));
        case "content_block_stop":
          return endBlock(index);
        case "message_delta":
          raw = textOrNull(objectOf(delta).stop_reason) ?? raw;
          return [];
        case "message_stop":
          return stop();
        case "error":
          return log.stop("error", textOrNull(objectOf(objectOf(event).error).type));
        default:
          return [];
      }
    },
    end: (failed) => log.stop(failed ? "error" : "cut", raw),
  };
}

/** A whole message as the equivalent events. */
export function* toAnthropicEvents(message: unknown): Generator<unknown> {
  const { content, stop_reason } = objectOf(message);
  yield { type: "message_start" };
  for (const [index, block] of listOf(content).filter(isRecord).entries()) {
    yield { type: "content_block_start", index, content_block: block };
    yield { type: "content_block_stop", index };
  }
  yield { type: "message_delta", delta: { stop_reason } };
  yield { type: "message_stop" };
}
