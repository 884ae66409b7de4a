import type { Call } from "./call.ts";
import type { ToolResult } from "./tool-result.ts";

/** What became of a call, for sending back. */
export interface AnsweredCall {
  readonly call: Pick<Call, "id" | "toolName">;
  readonly result: ToolResult;
  /** Wire names of the tools that a search loaded; else `loaded` of the result's structured part. */
  readonly loaded?: readonly string[];
  /** For the model to read after the result. */
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
  /** Who said it where that is not the user: another agent, Toolcrib about something that happened or was removed. */
  readonly by?: "peer" | "notification" | "summary";
}

export type AssistantPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly call: Call };

/** A provider's own form of a reply, for what only it understands: signatures of thoughts, encrypted reasoning. */
export interface NativeReply {
  readonly dialect: string;
  readonly content: readonly unknown[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly AssistantPart[];
  /** Goes back to the same provider as it came; every other one gets `content`. Null where that says it all. */
  readonly native: NativeReply | null;
}

/** One answer for each call of the reply before it, in the order of the calls. */
interface AnswersMessage {
  readonly role: "answers";
  readonly answers: readonly AnsweredCall[];
}

/** A conversation in no provider's words. */
export type HistoryMessage = UserMessage | AssistantMessage | AnswersMessage;
