/** `toolcrib/anthropic`: for programs that talk to Claude with `@anthropic-ai/sdk`. */

import type { Payload } from "../core/dialects/contract/dialect.ts";
import type { AnthropicPayload } from "../core/dialects/providers/anthropic.ts";
import type { AnthropicTool } from "../core/dialects/providers/anthropic-tool.ts";

export type { AnsweredCall } from "../core/call/message.ts";
export type { Payload } from "../core/dialects/contract/dialect.ts";
export {
  type AnthropicContent,
  type AnthropicOptions,
  type AnthropicPayload,
  type AnthropicResultMessage,
  type AnthropicToolResult,
  anthropic,
} from "../core/dialects/providers/anthropic.ts";
export type { AnthropicChangeMessage } from "../core/dialects/providers/anthropic-tool-changes.ts";
export type { StopReason, StreamPart } from "../core/dialects/stream/stream-part.ts";
export type { PayloadOptions } from "../core/dialects/tools/advertise.ts";

/** The fields of `messages.create` that come from a session; the rest of the request is yours. */
export function toRequest({ tools, system }: Pick<Payload<AnthropicTool[]>, "tools" | "system">): {
  tools: AnthropicTool[];
  system: { type: "text"; text: string }[];
} {
  return { tools, system: system.map(({ text }) => ({ type: "text", text })) };
}

/** The fields of `beta.messages.create` for a payload with `toolChanges`; `changes` go behind your messages. */
export function toBetaRequest({
  tools,
  system,
  betas,
}: Pick<AnthropicPayload, "tools" | "system" | "betas">): ReturnType<typeof toRequest> & { betas: string[] } {
  return { ...toRequest({ tools, system }), betas };
}
export type { AnthropicTool } from "../core/dialects/providers/anthropic-tool.ts";
