import type { AnthropicPayload } from "../../core/dialects/providers/anthropic.ts";
import { toAnthropicEvents } from "../../core/dialects/providers/read-anthropic.ts";
import { type AnthropicMessage, toAnthropicMessages } from "../../core/dialects/providers/render-anthropic.ts";
import { isRecord, type JsonObject, objectOf, textOrNull } from "../../core/shape/json-value.ts";
import { writeTools } from "./kept-texts.ts";
import type { ReplyWatch, TokenUsage } from "./model.ts";
import { countOf, joinUrl, type ModelWire } from "./wire.ts";

/** Tokens of a reply if nothing is configured: the provider requires a number. */
const MAX_TOKENS = 32_000;

const CACHED = { cache_control: { type: "ephemeral" } } as const;

/** Anthropic's Messages. */
export const anthropicWire: ModelWire = {
  name: "anthropic",
  url: (baseUrl) => joinUrl(baseUrl, "/messages"),
  headers: (key) => ({ "anthropic-version": "2023-06-01", ...(key === null ? {} : { "x-api-key": key }) }),
  body(model, request) {
    const { maxTokens, effort, schema } = request;
    const payload = request.payload as AnthropicPayload; // The wire's own dialect made it.
    const sections = [...request.system, ...payload.system];
    const output = {
      ...(effort === null ? {} : { effort }),
      ...(schema === null ? {} : { format: { type: "json_schema", schema } }),
    };
    return {
      model,
      max_tokens: maxTokens ?? MAX_TOKENS,
      stream: true,
      ...(sections.length === 0 ? {} : { system: markLast(sections.map(({ text }) => ({ type: "text", text }))) }),
      ...(payload.tools.length === 0 ? {} : { tools: writeTools(payload.tools) }),
      messages: [...markEnd(toAnthropicMessages(request.history, payload)), ...payload.changes],
      ...(Object.keys(output).length === 0 ? {} : { output_config: output }),
    };
  },
  whole: toAnthropicEvents,
  errorIn: (event) => (objectOf(event).type === "error" ? objectOf(event).error : undefined),
  watch,
};

/** The provider caches everything up to the mark: tools and prompt here, the conversation below. */
function markLast<Block extends object>(blocks: readonly Block[]): Block[] {
  return blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, ...CACHED } : block));
}

/** Thoughts cannot be marked, so the last message of the user is. */
function markEnd(messages: AnthropicMessage[]): AnthropicMessage[] {
  const at = messages.findLastIndex(({ role }) => role === "user");
  return messages.map((message, index) =>
    index === at ? { ...message, content: markLast(message.content.filter(isRecord)) } : message,
  );
}

/** Reassembles the blocks, for replies with blocks that only Anthropic understands. */
function watch(): ReplyWatch {
  const blocks: JsonObject[] = [];
  const texts = new Map<JsonObject, string>();
  let usage: TokenUsage | null = null;
  const count = (given: JsonObject): void => {
    const [fresh, cached, written] = [
      countOf(given.input_tokens),
      countOf(given.cache_read_input_tokens),
      countOf(given.cache_creation_input_tokens),
    ];
    const input = fresh + cached + written;
    usage = {
      input: input || (usage?.input ?? 0),
      output: countOf(given.output_tokens) || (usage?.output ?? 0),
      cached: cached || (usage?.cached ?? 0),
      written: written || (usage?.written ?? 0),
    };
  };
  const add = (block: JsonObject, key: string, text: unknown): void => {
    block[key] = `${textOrNull(block[key]) ?? ""}${String(text)}`;
  };
  return {
    push(event) {
      const { type, index, message, content_block, delta: given, usage: counts } = objectOf(event);
      const delta = objectOf(given);
      const block = typeof index === "number" ? blocks[index] : undefined;
      if (type === "message_start") {
        blocks.length = 0;
        count(objectOf(objectOf(message).usage));
      }
      if (type === "message_delta") count(objectOf(counts));
      if (type === "content_block_start" && typeof index === "number") blocks[index] = { ...objectOf(content_block) };
      if (type !== "content_block_delta" || block === undefined) {
        if (type === "content_block_stop" && block !== undefined) endInput(block, texts.get(block));
        return null;
      }
      if (delta.type === "text_delta") add(block, "text", delta.text);
      if (delta.type === "signature_delta") add(block, "signature", delta.signature);
      if (delta.type === "input_json_delta") texts.set(block, `${texts.get(block) ?? ""}${String(delta.partial_json)}`);
      if (delta.type !== "thinking_delta") return null;
      add(block, "thinking", delta.thinking);
      return String(delta.thinking);
    },
    get usage() {
      return usage;
    },
    get native() {
      const whole = blocks.filter(isRecord);
      const isPlain = whole.every(({ type }) => type === "text" || type === "tool_use");
      return isPlain ? null : { dialect: "anthropic", content: whole.filter(isKept) };
    },
  };
}

function endInput(block: JsonObject, text: string | undefined): void {
  if (text === undefined) return;
  try {
    block.input = objectOf(JSON.parse(text));
  } catch {
    block.input = {};
  }
}

/** Empty text is refused when it is sent back. */
function isKept({ type, text }: JsonObject): boolean {
  return type !== "text" || (typeof text === "string" && text.trim() !== "");
}
