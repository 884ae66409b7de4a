import type { AssistantMessage, HistoryMessage, UserMessage } from "../../call/message.ts";
import { SEARCH_NAME } from "../../catalog/search-tool.ts";
import { objectOf, toArgumentsText } from "../../shape/json-value.ts";
import type { Payload } from "../contract/dialect.ts";
import { toServerId } from "../stream/call-log.ts";
import { openaiResponses } from "./openai-responses.ts";

type Sent = Pick<Payload<unknown>, "names" | "deferral" | "loadable">;

/** A history as `input` of OpenAI's Responses. */
export function toResponsesInput(history: readonly HistoryMessage[], sent: Sent): unknown[] {
  return history.flatMap((said): unknown[] => {
    if (said.role === "user") return [toUser(said)];
    if (said.role === "assistant") return toReply(said, sent);
    return openaiResponses.results(said.answers, sent);
  });
}

function toUser({ content }: UserMessage): unknown {
  const parts = content.map((part) => {
    if (part.type === "text") return { type: "input_text", text: part.text };
    const url = `data:${part.mimeType};base64,${part.data}`;
    if (part.mimeType.startsWith("image/")) return { type: "input_image", image_url: url, detail: "auto" };
    return { type: "input_file", filename: part.name ?? "file", file_data: url };
  });
  return { type: "message", role: "user", content: parts };
}

function toReply({ content, native }: AssistantMessage, { names, deferral }: Sent): unknown[] {
  if (native?.dialect === openaiResponses.name) return [...native.content];
  return content.flatMap((part): unknown[] => {
    if (part.type === "text")
      return part.text === ""
        ? []
        : [{ type: "message", role: "assistant", content: [{ type: "output_text", text: part.text }] }];
    const { id, toolName, arguments: args } = part.call;
    const call_id = toServerId(id);
    // A search is answered in its own form, so the call must be in that form too.
    if (deferral === "native" && toolName === SEARCH_NAME)
      return [
        { type: "tool_search_call", call_id, execution: "client", status: "completed", arguments: objectOf(args) },
      ];
    return [{ type: "function_call", call_id, name: names.toProvider(toolName), arguments: toArgumentsText(args) }];
  });
}
