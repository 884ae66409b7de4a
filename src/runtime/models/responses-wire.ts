import { toResponsesEvents } from "../../core/dialects/providers/read-openai-responses.ts";
import { toResponsesInput } from "../../core/dialects/providers/render-responses.ts";
import { joinSections } from "../../core/dialects/tools/join-sections.ts";
import { writtenList } from "../../core/shape/json-text.ts";
import { isRecord, type JsonObject, listOf, objectOf, textOrNull } from "../../core/shape/json-value.ts";
import { createMessageWriter, writeTools } from "./kept-texts.ts";
import type { ReplyWatch, TokenUsage } from "./model.ts";
import { countOf, joinUrl, type ModelWire } from "./wire.ts";

const writeInput = createMessageWriter(toResponsesInput);

/**
 * OpenAI's Responses. Nothing is stored at the provider: reasoning comes back encrypted and is sent again with the
 * history.
 */
export const responsesWire: ModelWire = {
  name: "openai-responses",
  url: (baseUrl) => joinUrl(baseUrl, "/responses"),
  headers: (key): Readonly<Record<string, string>> => (key === null ? {} : { authorization: `Bearer ${key}` }),
  body(model, { payload, system, history, maxTokens, effort, schema, cacheKey, verbosity, reasoningSummary: summary }) {
    const reasoning = { ...(effort === null ? {} : { effort }), ...(summary === undefined ? {} : { summary }) };
    const text = {
      ...(schema === null ? {} : { format: { type: "json_schema", name: "answer", schema, strict: true } }),
      ...(verbosity === undefined ? {} : { verbosity }),
    };
    const instructions = joinSections([...system, ...payload.system]);
    return {
      model,
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      ...(instructions === undefined ? {} : { instructions }),
      input: writtenList(writeInput(history, payload)),
      ...(payload.tools.length === 0 ? {} : { tools: writeTools(payload.tools) }),
      ...(maxTokens === null ? {} : { max_output_tokens: maxTokens }),
      ...(isEmpty(reasoning) ? {} : { reasoning }),
      ...(isEmpty(text) ? {} : { text }),
      ...(cacheKey === null ? {} : { prompt_cache_key: cacheKey }),
    };
  },
  whole: toResponsesEvents,
  errorIn(event) {
    const { type, error, response, code, message } = objectOf(event);
    if (type === "error") return isRecord(error) ? error : { code, message };
    return type === "response.failed" ? (objectOf(response).error ?? {}) : undefined;
  },
  watch,
};

function isEmpty(settings: object): boolean {
  return Object.keys(settings).length === 0;
}

function watch(): ReplyWatch {
  let items: readonly JsonObject[] = [];
  const done: JsonObject[] = [];
  let usage: TokenUsage | null = null;
  return {
    push(event) {
      const { type, item, delta, response } = objectOf(event);
      if (type === "response.output_item.done") done.push(objectOf(item));
      if (type === "response.completed" || type === "response.incomplete") {
        const { output, usage: counts } = objectOf(response);
        items = listOf(output).filter(isRecord);
        usage = toUsage(objectOf(counts));
      }
      const isThought = type === "response.reasoning_summary_text.delta" || type === "response.reasoning_text.delta";
      return isThought ? textOrNull(delta) : null;
    },
    get usage() {
      return usage;
    },
    get native() {
      const whole = done.length >= items.length ? done : items;
      return whole.every(isPlain) ? null : { dialect: "openai-responses", content: whole };
    },
  };
}

function isPlain({ type, namespace }: JsonObject): boolean {
  return type === "message" || (type === "function_call" && (namespace ?? null) === null);
}

function toUsage({ input_tokens, output_tokens, input_tokens_details }: JsonObject): TokenUsage {
  const cached = countOf(objectOf(input_tokens_details).cached_tokens);
  return { input: countOf(input_tokens), output: countOf(output_tokens), cached, written: 0 };
}
