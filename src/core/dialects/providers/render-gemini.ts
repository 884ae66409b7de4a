import type { AssistantMessage, HistoryMessage, UserMessage } from "../../call/message.ts";
import { objectOf } from "../../shape/json-value.ts";
import type { Payload } from "../contract/dialect.ts";
import { isOwnId, toServerId } from "../stream/call-log.ts";
import type { Names } from "../tools/names.ts";
import { gemini } from "./gemini.ts";

export interface GeminiContent {
  role: "user" | "model";
  parts: unknown[];
}

/** A history as Gemini's `contents`; adjacent messages of one role are merged. */
export function toGeminiContents(
  history: readonly HistoryMessage[],
  sent: Pick<Payload<unknown>, "names" | "deferral" | "loadable">,
): GeminiContent[] {
  const contents: GeminiContent[] = [];
  for (const said of history) {
    const parts = toParts(said, sent);
    const role = said.role === "assistant" ? "model" : "user";
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts });
  }
  return contents;
}

function toParts(said: HistoryMessage, sent: Pick<Payload<unknown>, "names" | "deferral" | "loadable">): unknown[] {
  if (said.role === "user") return toUser(said);
  if (said.role === "assistant") return toReply(said, sent.names);
  return gemini.results(said.answers, sent).flatMap(({ parts }) => parts);
}

function toUser({ content }: UserMessage): unknown[] {
  return content.map((part) =>
    part.type === "text" ? { text: part.text } : { inlineData: { mimeType: part.mimeType, data: part.data } },
  );
}

function toReply({ content, native }: AssistantMessage, names: Names): unknown[] {
  if (native?.dialect === gemini.name) return [...native.content];
  return content.flatMap((part): unknown[] => {
    if (part.type === "text") return part.text === "" ? [] : [{ text: part.text }];
    const { id, toolName, arguments: args } = part.call;
    const called = { name: names.toProvider(toolName), args: objectOf(args) };
    return [{ functionCall: { ...(isOwnId(id) ? {} : { id: toServerId(id) }), ...called } }];
  });
}
