import type { HookEvent } from "../../config/shape/hook-shape.ts";
import type { ToolResult } from "../../core/call/tool-result.ts";

/** What every hook gets. */
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
  /** The subagent that makes the call; absent for the session's own calls. */
  readonly agentId?: string;
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
interface AgentStopInput extends HookInput {
  readonly stopReason: "end_turn";
  /** A hook has already made it continue since the user's last message. */
  readonly stop_hook_active: boolean;
}
interface SubagentInput extends HookInput {
  readonly agent_id: string;
  /** Its name. */
  readonly agent_type: string;
}
interface SubagentStopInput extends SubagentInput {
  /** A hook has already made it continue. */
  readonly stop_hook_active: boolean;
}
interface PreCompactInput extends HookInput {
  readonly trigger: "auto" | "manual";
}
interface NotificationInput extends HookInput {
  readonly notification_type: string;
  readonly message: string;
}
interface ErrorInput extends HookInput {
  readonly error: string;
  readonly recoverable: boolean;
}

/** What a hook may answer. Claude's and Copilot's spellings both work; no answer is consent. */
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
  /** Before a call is judged: may change its arguments, allow, deny, or require a question. */
  readonly onPreToolUse?: Hook<PreToolUseInput>;
  /** After a call succeeded: may change what the model gets. */
  readonly onPostToolUse?: Hook<PostToolUseInput>;
  /** After a call failed. */
  readonly onPostToolUseFailure?: Hook<PostToolUseFailureInput>;
  /** Before somebody is asked about a call: may answer instead. */
  readonly onPermissionRequest?: Hook<PermissionHookInput>;
  /** When the session begins. */
  readonly onSessionStart?: Hook<SessionStartInput>;
  /** When the session ends. */
  readonly onSessionEnd?: Hook<SessionEndInput>;
  /** When the user has sent a message. */
  readonly onUserPromptSubmitted?: Hook<UserPromptInput>;
  /** When the model wants to stop: `decision: "block"` with a reason makes it continue. */
  readonly onAgentStop?: Hook<AgentStopInput>;
  /** When a subagent starts: may add context. */
  readonly onSubagentStart?: Hook<SubagentInput>;
  /** When a subagent wants to stop: `decision: "block"` with a reason makes it continue. */
  readonly onSubagentStop?: Hook<SubagentStopInput>;
  /** Before older messages are summarised. */
  readonly onPreCompact?: Hook<PreCompactInput>;
  /** When a run waits for a person. */
  readonly onNotification?: Hook<NotificationInput>;
  /** When a run fails or the program reports an error: may say how to continue. */
  readonly onErrorOccurred?: Hook<ErrorInput>;
}

/** The function of each event. */
export const HOOK_FUNCTIONS = {
  preToolUse: "onPreToolUse",
  postToolUse: "onPostToolUse",
  postToolUseFailure: "onPostToolUseFailure",
  permissionRequest: "onPermissionRequest",
  sessionStart: "onSessionStart",
  sessionEnd: "onSessionEnd",
  userPromptSubmitted: "onUserPromptSubmitted",
  agentStop: "onAgentStop",
  subagentStart: "onSubagentStart",
  subagentStop: "onSubagentStop",
  preCompact: "onPreCompact",
  notification: "onNotification",
  errorOccurred: "onErrorOccurred",
} as const satisfies Record<HookEvent, keyof SessionHooks>;
