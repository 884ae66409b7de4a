import type { AnsweredCall } from "../../call/message.ts";
import { toPromptSections } from "../../toolset/prompt-sections.ts";
import { type Dialect, isFailure, toPayload, toSend } from "../contract/dialect.ts";
import { LIMITS } from "../limits/limits.ts";
import { isOwnId, toServerId } from "../stream/call-log.ts";
import { readEvents, readWhole } from "../stream/stream-part.ts";
import { type Advertised, advertise } from "../tools/advertise.ts";
import { type Names, PLAIN_NAMES } from "../tools/names.ts";
import type { ObjectSchema } from "../tools/shape-schema.ts";
import { createGeminiReader } from "./read-gemini.ts";

export interface GeminiFunction {
  name: string;
  description?: string;
  parametersJsonSchema?: ObjectSchema;
}

export interface GeminiTool {
  functionDeclarations: GeminiFunction[];
}

export interface GeminiResultMessage {
  role: "user";
  parts: {
    functionResponse: {
      id?: string;
      name: string;
      response: { output: string } | { error: string };
      parts?: { inlineData: { mimeType: string; data: string } }[];
    };
  }[];
}

const limits = LIMITS.gemini;

/** Google Gemini. Nothing is deferred natively: the tool list grows at its end. */
export const gemini: Dialect<GeminiTool[], GeminiResultMessage> = {
  name: "gemini",
  limits,
  owns: (event) => ["candidates", "promptFeedback", "usageMetadata"].some((key) => event[key] !== undefined),
  payload(toolset, options) {
    const sent = advertise(toolset, limits, options);
    const tools = sent.shown.length === 0 ? [] : [{ functionDeclarations: sent.shown.map(toFunction) }];
    return toPayload(tools, toPromptSections(toolset), sent);
  },
  readStream: (events, names = PLAIN_NAMES) => readEvents(events, createGeminiReader(names)),
  readResponse: (response, names = PLAIN_NAMES) => readWhole([response], createGeminiReader(names)),
  results(given, { names }) {
    const parts = toSend(given).map((result) => toPart(result, names));
    return parts.length === 0 ? [] : [{ role: "user", parts }];
  },
};

/** A function without parameters gets no schema: Gemini refuses an empty object. */
function toFunction({ name, description, schema }: Advertised): GeminiFunction {
  return {
    name,
    ...(description === "" ? {} : { description }),
    ...(Object.keys(schema.properties).length === 0 ? {} : { parametersJsonSchema: schema }),
  };
}

function toPart({ call, result }: AnsweredCall, names: Names): GeminiResultMessage["parts"][number] {
  const text = result.textResultForLlm;
  const files = (result.binaryResultsForLlm ?? []).map(({ data, mimeType }) => ({ inlineData: { mimeType, data } }));
  return {
    functionResponse: {
      ...(isOwnId(call.id) ? {} : { id: toServerId(call.id) }),
      name: names.toProvider(call.toolName),
      response: isFailure(result) ? { error: text } : { output: text },
      ...(files.length === 0 ? {} : { parts: files }),
    },
  };
}
