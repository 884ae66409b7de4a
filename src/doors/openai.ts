/** `toolcrib/openai`: for programs that talk to OpenAI, or a server that speaks its language, with `openai`. */
import { SEARCH_NAME } from "../core/catalog/search-tool.ts";
import { ToolcribError } from "../core/codes/toolcrib-error.ts";
import type { Payload } from "../core/dialects/contract/dialect.ts";
import type { ChatTool } from "../core/dialects/providers/openai-chat.ts";
import type { ResponsesTool } from "../core/dialects/providers/openai-responses.ts";
import { joinSections } from "../core/dialects/tools/join-sections.ts";

export type { AnsweredCall } from "../core/call/message.ts";
export type { Payload } from "../core/dialects/contract/dialect.ts";
export { type ChatResultMessage, type ChatTool, openaiChat } from "../core/dialects/providers/openai-chat.ts";
export {
  openaiResponses,
  type ResponsesFunction,
  type ResponsesNamespace,
  type ResponsesResultItem,
  type ResponsesSearch,
  type ResponsesTool,
} from "../core/dialects/providers/openai-responses.ts";
export type { StopReason, StreamPart } from "../core/dialects/stream/stream-part.ts";
export type { PayloadOptions } from "../core/dialects/tools/advertise.ts";

/** The fields of `responses.create` that come from a session; the rest of the request is yours. */
export function toResponsesRequest({ tools, system }: Pick<Payload<ResponsesTool[]>, "tools" | "system">): {
  tools: ResponsesTool[];
  instructions?: string;
} {
  const instructions = joinSections(system);
  return { tools, ...(instructions === undefined ? {} : { instructions }) };
}

/** The fields of `chat.completions.create` that come from a session; put your own messages behind these. */
export function toChatRequest({ tools, system }: Pick<Payload<ChatTool[]>, "tools" | "system">): {
  /** Absent when there are none: an empty list is refused. */
  tools?: ChatTool[];
  messages: { role: "system"; content: string }[];
} {
  const content = joinSections(system);
  return {
    ...(tools.length === 0 ? {} : { tools }),
    messages: content === undefined ? [] : [{ role: "system", content }],
  };
}

/**
 * Restricts one `responses` request to some of its tools without touching `tools`, so that the cache stays warm. Names
 * that the payload does not send are left out, because OpenAI refuses them; when none is left, that is an error.
 */
export function toAllowedTools(
  { tools: sent, names }: Pick<Payload<ResponsesTool[]>, "tools" | "names">,
  wireNames: readonly string[],
  mode: "auto" | "required" = "auto",
): { type: "allowed_tools"; mode: "auto" | "required"; tools: { [key: string]: unknown }[] } {
  const wanted = new Set(wireNames.map((wireName) => names.toProvider(wireName)));
  const tools = sent
    .filter((tool) => wanted.has(tool.type === "tool_search" ? SEARCH_NAME : tool.name))
    .map((tool) => (tool.type === "tool_search" ? { type: tool.type } : { type: tool.type, name: tool.name }));
  if (tools.length > 0) return { type: "allowed_tools", mode, tools };
  const text = "toAllowedTools: the payload sends none of these tools; name some of its tools, or pass no tool_choice";
  throw new ToolcribError("filter.no-tools", text, { names: wireNames });
}
