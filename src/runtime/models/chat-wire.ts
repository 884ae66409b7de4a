import { toChatMessages } from "../../core/dialects/providers/render-chat.ts";
import { joinSections } from "../../core/dialects/tools/join-sections.ts";
import { writtenList } from "../../core/shape/json-text.ts";
import { type JsonObject, listOf, objectOf, textOrNull } from "../../core/shape/json-value.ts";
import { createMessageWriter, writeTools } from "./kept-texts.ts";
import type { ReplyWatch, TokenUsage } from "./model.ts";
import { countOf, joinUrl, type ModelWire } from "./wire.ts";

const writeMessages = createMessageWriter(toChatMessages);

/** Chat Completions, which most other servers support, local ones too. */
export const chatWire: ModelWire = {
  name: "openai-chat",
  url: (baseUrl) => joinUrl(baseUrl, "/chat/completions"),
  headers: (key): Readonly<Record<string, string>> => (key === null ? {} : { authorization: `Bearer ${key}` }),
  body(model, { payload, system, history, maxTokens, effort, schema, verbosity }) {
    const content = joinSections([...system, ...payload.system]);
    const messages = writeMessages(history, payload);
    return {
      model,
      stream: true,
      stream_options: { include_usage: true },
      messages: writtenList(
        content === undefined ? messages : [JSON.stringify({ role: "system", content }), ...messages],
      ),
      ...(payload.tools.length === 0 ? {} : { tools: writeTools(payload.tools) }),
      ...(maxTokens === null ? {} : { max_completion_tokens: maxTokens }),
      ...(effort === null ? {} : { reasoning_effort: effort }),
      ...(verbosity === undefined ? {} : { verbosity }),
      ...(schema === null
        ? {}
        : { response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict: true } } }),
    };
  },
  whole: (reply) => [toOneChoice(objectOf(reply))],
  errorIn: (event) => objectOf(event).error ?? undefined,
  watch,
};

/** Some servers send the text and each call of one reply as separate choices. */
function toOneChoice(reply: JsonObject): JsonObject {
  const choices = listOf(reply.choices).map(objectOf);
  if (choices.length < 2) return reply;
  const messages = choices.map(({ message }) => objectOf(message));
  const content = messages.map((message) => textOrNull(message.content) ?? "").join("");
  const tool_calls = messages.flatMap((message) => listOf(message.tool_calls));
  const ended = choices.find(({ finish_reason }) => finish_reason === "tool_calls") ?? choices[0];
  return { ...reply, choices: [{ ...ended, index: 0, message: { role: "assistant", content, tool_calls } }] };
}

function watch(): ReplyWatch {
  let usage: TokenUsage | null = null;
  return {
    push(event) {
      const { usage: counts, choices } = objectOf(event);
      if (counts !== undefined && counts !== null) usage = toUsage(objectOf(counts));
      const { delta } = objectOf(listOf(choices)[0]);
      const { reasoning_content, reasoning } = objectOf(delta);
      return textOrNull(reasoning_content) ?? textOrNull(reasoning);
    },
    get usage() {
      return usage;
    },
    native: null,
  };
}

function toUsage({ prompt_tokens, completion_tokens, prompt_tokens_details }: JsonObject): TokenUsage {
  const cached = countOf(objectOf(prompt_tokens_details).cached_tokens);
  return { input: countOf(prompt_tokens), output: countOf(completion_tokens), cached, written: 0 };
}
