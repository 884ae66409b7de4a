/** `toolcrib/gemini`: for programs that talk to Gemini with `@google/genai`. */
import type { Payload } from "../core/dialects/contract/dialect.ts";
import type { GeminiTool } from "../core/dialects/providers/gemini.ts";
import { joinSections } from "../core/dialects/tools/join-sections.ts";

export type { AnsweredCall } from "../core/call/message.ts";
export type { Payload } from "../core/dialects/contract/dialect.ts";
export {
  type GeminiFunction,
  type GeminiResultMessage,
  type GeminiTool,
  gemini,
} from "../core/dialects/providers/gemini.ts";
export type { StopReason, StreamPart } from "../core/dialects/stream/stream-part.ts";
export type { PayloadOptions } from "../core/dialects/tools/advertise.ts";

/** The part of `generateContent`'s `config` that comes from a session; the rest of it is yours. */
export function toConfig({ tools, system }: Pick<Payload<GeminiTool[]>, "tools" | "system">): {
  tools: GeminiTool[];
  systemInstruction?: string;
} {
  const systemInstruction = joinSections(system);
  return { tools, ...(systemInstruction === undefined ? {} : { systemInstruction }) };
}
