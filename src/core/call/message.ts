import type { Call } from "./call.ts";
import type { ToolResult } from "./tool-result.ts";

/** A call with its result, ready to send back to the model. */
export interface AnsweredCall {
  readonly call: Pick<Call, "id" | "toolName">;
  readonly result: ToolResult;
  /** Wire names of the tools that a search loaded. If absent, `loaded` of the structured result is used. */
  readonly loaded?: readonly string[];
  /** Text for the model to read after the result. */
  readonly additionalContext?: readonly string[];
  /** False: the model never confirmed the call, so its result is not sent. */
  readonly sendToModel?: boolean;
}

export type UserPart =
  | { readonly type: "text"; readonly text: string }
  /** A picture or document, in base64. */
  | { readonly type: "file"; readonly mimeType: string; readonly data: string; readonly name: string | null };

export interface UserMessage {
  readonly role: "user";
  readonly content: readonly UserPart[];
  /** The author, if it was not the user: another agent, or Toolcrib reporting an event or a summary. */
  readonly by?: "peer" | "notification" | "summary";
}

export type AssistantPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly call: Call };

/** A provider's own form of a reply, with what only it understands: thought signatures, encrypted reasoning. */
export interface NativeReply {
  readonly dialect: string;
  readonly content: readonly unknown[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly AssistantPart[];
  /** Sent back unchanged to the same provider; every other provider gets `content`. Null when `content` says it all. */
  readonly native: NativeReply | null;
}

/** One answer for each call of the reply before it, in the order of the calls. */
interface AnswersMessage {
  readonly role: "answers";
  readonly answers: readonly AnsweredCall[];
}

/** A provider-neutral conversation. */
export type HistoryMessage = UserMessage | AssistantMessage | AnswersMessage;
