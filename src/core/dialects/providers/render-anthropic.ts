import type { AssistantMessage, HistoryMessage, UserMessage } from "../../call/message.ts";
import { objectOf } from "../../shape/json-value.ts";
import type { Payload } from "../contract/dialect.ts";
import { toServerId } from "../stream/call-log.ts";
import type { Names } from "../tools/names.ts";
import { type AnthropicContent, type AnthropicResultMessage, anthropic, toAnthropicBlock } from "./anthropic.ts";

export interface AnthropicMessage {
  role: "user" | "assistant";
  content: unknown[];
}

type Sent = Pick<Payload<unknown>, "names" | "deferral" | "loadable">;

/** A history as Anthropic's `messages`; adjacent messages of one role are merged, results first. */
export function toAnthropicMessages(history: readonly HistoryMessage[], sent: Sent): AnthropicMessage[] {
  const messages: AnthropicMessage[] = [];
  for (const said of history) {
    const { role, content } = toMessage(said, sent);
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) messages.push({ role, content });
  }
  return messages;
}

function toMessage(said: HistoryMessage, sent: Sent): AnthropicMessage {
  if (said.role === "user") return { role: "user", content: toUserContent(said) };
  if (said.role === "assistant") return { role: "assistant", content: toReply(said, sent.names) };
  const answers: AnthropicResultMessage[] = anthropic.results(said.answers, sent);
  return { role: "user", content: answers.flatMap(({ content }) => content) };
}

function toUserContent({ content }: UserMessage): AnthropicContent[] {
  return content.flatMap((part): AnthropicContent[] => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    const { data, mimeType, name } = part;
    return [toAnthropicBlock({ data, mimeType, type: "file", ...(name === null ? {} : { description: name }) })];
  });
}

function toReply({ content, native }: AssistantMessage, names: Names): unknown[] {
  if (native?.dialect === anthropic.name) return [...native.content];
  return content.flatMap((part): unknown[] => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    const { id, toolName, arguments: input } = part.call;
    return [{ type: "tool_use", id: toServerId(id), name: names.toProvider(toolName), input: objectOf(input) }];
  });
}
