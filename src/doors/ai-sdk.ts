/** `toolcrib/ai-sdk`: for programs that use the Vercel AI SDK (`ai`), with whatever provider. */
import type { AiSdkPayload, AiSdkTool } from "../core/dialects/providers/ai-sdk.ts";
import { joinSections } from "../core/dialects/tools/join-sections.ts";

export type { AnsweredCall } from "../core/call/message.ts";
export type { Payload } from "../core/dialects/contract/dialect.ts";
export {
  type AiSdkPayload,
  type AiSdkResultMessage,
  type AiSdkSchema,
  type AiSdkTool,
  aiSdk,
} from "../core/dialects/providers/ai-sdk.ts";
export type { StopReason, StreamPart } from "../core/dialects/stream/stream-part.ts";
export type { PayloadOptions } from "../core/dialects/tools/advertise.ts";

/** The settings of `streamText` and `generateText` that come from a session; the rest is yours. */
export function toSettings({ tools, activeTools, system }: Pick<AiSdkPayload, "tools" | "activeTools" | "system">): {
  tools: Record<string, AiSdkTool>;
  activeTools: string[];
  system?: string;
} {
  const text = joinSections(system);
  return { tools, activeTools, ...(text === undefined ? {} : { system: text }) };
}
