import type { AnsweredCall } from "../../call/message.ts";
import type { BinaryResult } from "../../call/tool-result.ts";
import { isRecord, textOrNull } from "../../shape/json-value.ts";
import { toPromptSections } from "../../toolset/prompt-sections.ts";
import { type Dialect, toPayload, toSend } from "../contract/dialect.ts";
import { LIMITS } from "../limits/limits.ts";
import { toServerId } from "../stream/call-log.ts";
import { readEvents, readWhole } from "../stream/stream-part.ts";
import { type Advertised, advertise } from "../tools/advertise.ts";
import { PLAIN_NAMES } from "../tools/names.ts";
import type { ObjectSchema } from "../tools/shape-schema.ts";
import { createChatReader } from "./read-openai-chat.ts";

export interface ChatTool {
  type: "function";
  function: { name: string; description?: string; parameters: ObjectSchema; strict?: boolean };
}

type ChatContent = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

export type ChatResultMessage =
  | { role: "tool"; tool_call_id: string; content: string }
  | { role: "user"; content: ChatContent[] };

const limits = LIMITS["openai-chat"];

/** OpenAI Chat Completions and compatible servers. Nothing is deferred natively: the tool list grows at its end. */
export const openaiChat: Dialect<ChatTool[], ChatResultMessage> = {
  name: "openai-chat",
  limits,
  owns: ({ choices, object, error }) =>
    Array.isArray(choices) || textOrNull(object)?.startsWith("chat.completion") === true || isRecord(error),
  payload(toolset, options) {
    const sent = advertise(toolset, limits, options);
    return toPayload(sent.shown.map(toTool), toPromptSections(toolset), sent);
  },
  readStream: (events, names = PLAIN_NAMES) => readEvents(events, createChatReader(names)),
  readResponse: (completion, names = PLAIN_NAMES) => readWhole([completion], createChatReader(names)),
  results(given) {
    const results = toSend(given);
    const answers = results.map(({ call, result }): ChatResultMessage => {
      return { role: "tool", tool_call_id: toServerId(call.id), content: result.textResultForLlm };
    });
    const images = results.flatMap(toImages);
    return images.length === 0 ? answers : [...answers, { role: "user", content: images }];
  },
};

function toTool({ name, description, schema, strict }: Advertised): ChatTool {
  const parts = { name, ...(description === "" ? {} : { description }), parameters: schema };
  return { type: "function", function: strict ? { ...parts, strict } : parts };
}

/** A tool message holds text only; pictures follow in a message of their own. */
function toImages({ call, result }: AnsweredCall): readonly ChatContent[] {
  const images = (result.binaryResultsForLlm ?? []).filter(({ mimeType }) => mimeType.startsWith("image/"));
  if (images.length === 0) return [];
  return [{ type: "text", text: `Returned by ${call.toolName} (${call.id}):` }, ...images.map(toImage)];
}

function toImage({ data, mimeType }: BinaryResult): ChatContent {
  return { type: "image_url", image_url: { url: `data:${mimeType};base64,${data}` } };
}
