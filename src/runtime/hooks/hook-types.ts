import type { ToolResult } from "../../core/call/tool-result.ts";

/** What every hook learns. */
interface HookInput {
  readonly sessionId: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly workingDirectory: string;
}

interface ToolHookInput extends HookInput {
  readonly toolName: string;
  readonly toolArgs: Readonly<Record<string, unknown>>;
  readonly toolCallId: string;
}

type PreToolUseInput = ToolHookInput;
interface PostToolUseInput extends ToolHookInput {
  readonly toolResult: ToolResult;
  /** Milliseconds. */
  readonly duration: number;
}
interface PostToolUseFailureInput extends ToolHookInput {
  readonly error: string;
}
interface PermissionHookInput extends ToolHookInput {
  readonly reason: string;
}
interface SessionStartInput extends HookInput {
  readonly source: "startup" | "resume" | "new";
}
interface SessionEndInput extends HookInput {
  readonly reason: string;
}
interface UserPromptInput extends HookInput {
  readonly prompt: string;
}
interface ErrorInput extends HookInput {
  readonly error: string;
  readonly recoverable: boolean;
}

/** What a hook may answer. Claude's and Copilot's spellings both work; a hook that answers nothing agrees. */
export interface HookOutput {
  readonly permissionDecision?: "allow" | "ask" | "deny";
  readonly permissionDecisionReason?: string;
  /** The whole new input. */
  readonly modifiedArgs?: Readonly<Record<string, unknown>>;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly additionalContext?: string;
  readonly modifiedResult?: unknown;
  readonly updatedToolOutput?: unknown;
  readonly modifiedPrompt?: string;
  readonly decision?:
    | "allow"
    | "deny"
    | "approve"
    | "block"
    | { readonly behavior: "allow" | "deny"; readonly message?: string };
  readonly reason?: string;
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly suppressOutput?: boolean;
  readonly errorHandling?: "retry" | "skip" | "abort";
}

type Hook<Input> = (
  input: Input,
  invocation: { readonly sessionId: string; readonly signal: AbortSignal },
) => HookAnswer;
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing is the common one.
type HookAnswer = HookOutput | void | null | Promise<HookOutput | void | null>;

/** Hooks that run in this process. */
export interface SessionHooks {
  readonly onPreToolUse?: Hook<PreToolUseInput>;
  readonly onPostToolUse?: Hook<PostToolUseInput>;
  readonly onPostToolUseFailure?: Hook<PostToolUseFailureInput>;
  readonly onPermissionRequest?: Hook<PermissionHookInput>;
  readonly onSessionStart?: Hook<SessionStartInput>;
  readonly onSessionEnd?: Hook<SessionEndInput>;
  readonly onUserPromptSubmitted?: Hook<UserPromptInput>;
  readonly onErrorOccurred?: Hook<ErrorInput>;
}
