import type { AssistantMessage, HistoryMessage, UserMessage } from "../../call/message.ts";
import { toArgumentsText } from "../../shape/json-value.ts";
import type { Payload } from "../contract/dialect.ts";
import { toServerId } from "../stream/call-log.ts";
import type { Names } from "../tools/names.ts";
import { openaiChat } from "./openai-chat.ts";

/** A history as `messages` of Chat Completions. */
export function toChatMessages(
  history: readonly HistoryMessage[],
  sent: Pick<Payload<unknown>, "names" | "deferral" | "loadable">,
): unknown[] {
  return history.flatMap((said): unknown[] => {
    if (said.role === "user") return toUser(said);
    if (said.role === "assistant") return toReply(said, sent.names);
    return openaiChat.results(said.answers, sent);
  });
}

/** Plain text is sent as a string: many compatible servers accept nothing else. */
function toUser({ content }: UserMessage): unknown[] {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.length === content.length) return [{ role: "user", content: texts.join("\n\n") }];
  return [
    {
      role: "user",
      content: content.map((part) => {
        if (part.type === "text") return { type: "text", text: part.text };
        const url = `data:${part.mimeType};base64,${part.data}`;
        if (part.mimeType.startsWith("image/")) return { type: "image_url", image_url: { url } };
        return { type: "file", file: { filename: part.name ?? "file", file_data: url } };
      }),
    },
  ];
}

function toReply({ content }: AssistantMessage, names: Names): unknown[] {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const tool_calls = content.flatMap((part) => {
    if (part.type !== "call") return [];
    const { id, toolName, arguments: args } = part.call;
    const called = { name: names.toProvider(toolName), arguments: toArgumentsText(args) };
    return [{ id: toServerId(id), type: "function", function: called }];
  });
  if (text === "" && tool_calls.length === 0) return [];
  return [
    { role: "assistant", content: text === "" ? null : text, ...(tool_calls.length === 0 ? {} : { tool_calls }) },
  ];
}
