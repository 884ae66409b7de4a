import { toGeminiContents } from "../../core/dialects/providers/render-gemini.ts";
import { joinSections } from "../../core/dialects/tools/join-sections.ts";
import { isRecord, type JsonObject, listOf, objectOf, textOrNull } from "../../core/shape/json-value.ts";
import { writeTools } from "./kept-texts.ts";
import type { ReplyWatch, TokenUsage } from "./model.ts";
import { countOf, joinUrl, type ModelWire } from "./wire.ts";

/** Google's Gemini. */
export const geminiWire: ModelWire = {
  name: "gemini",
  url: (baseUrl, model) => joinUrl(baseUrl, `/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`),
  headers: (key): Readonly<Record<string, string>> => (key === null ? {} : { "x-goog-api-key": key }),
  body(_model, { payload, system, history, maxTokens, effort, schema, reasoningSummary }) {
    const text = joinSections([...system, ...payload.system]);
    const thinkingConfig = {
      ...(effort === null ? {} : { thinkingLevel: effort }),
      ...(reasoningSummary === undefined ? {} : { includeThoughts: true }),
    };
    const generationConfig = {
      ...(maxTokens === null ? {} : { maxOutputTokens: maxTokens }),
      ...(Object.keys(thinkingConfig).length === 0 ? {} : { thinkingConfig }),
      ...(schema === null ? {} : { responseMimeType: "application/json", responseJsonSchema: schema }),
    };
    return {
      contents: toGeminiContents(history, payload),
      ...(text === undefined ? {} : { systemInstruction: { parts: [{ text }] } }),
      ...(payload.tools.length === 0 ? {} : { tools: writeTools(payload.tools) }),
      ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
    };
  },
  whole: (reply) => (Array.isArray(reply) ? reply : [reply]),
  errorIn: (event) => objectOf(event).error ?? undefined,
  watch,
};

function watch(): ReplyWatch {
  const parts: JsonObject[] = [];
  let usage: TokenUsage | null = null;
  return {
    push(event) {
      const { candidates, usageMetadata } = objectOf(event);
      if (isRecord(usageMetadata)) usage = toUsage(usageMetadata);
      const added = listOf(objectOf(objectOf(listOf(candidates)[0]).content).parts).filter(isRecord);
      parts.push(...added);
      const thoughts = added.flatMap(({ thought, text }) => (thought === true ? [textOrNull(text) ?? ""] : []));
      return thoughts.length === 0 ? null : thoughts.join("");
    },
    get usage() {
      return usage;
    },
    get native() {
      const isPlain = parts.every(({ thoughtSignature }) => thoughtSignature === undefined);
      return isPlain ? null : { dialect: "gemini", content: parts.filter(({ thought }) => thought !== true) };
    },
  };
}

function toUsage(counts: JsonObject): TokenUsage {
  const output = countOf(counts.candidatesTokenCount) + countOf(counts.thoughtsTokenCount);
  return {
    input: countOf(counts.promptTokenCount),
    output,
    cached: countOf(counts.cachedContentTokenCount),
    written: 0,
  };
}
