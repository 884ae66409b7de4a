import type { AnsweredCall, AssistantMessage, UserPart } from "../call/message.ts";

/** How a run ended. */
const STOP_REASONS = [
  "end",
  "terminal-tool",
  "rejected",
  "aborted",
  "refusal",
  "max-turns",
  "max-tokens",
  "max-cost",
  "max-time",
  "length",
  "error",
] as const;
export type RunStopReason = (typeof STOP_REASONS)[number];

/** Messages between a person, the model and its tools: the history, and what happens on the way. */
export interface TurnEvents {
  readonly "user.message": {
    readonly messageId: string;
    readonly content: readonly UserPart[];
    /**
     * The author: a person, a hook, the agent that started this one with a task, another agent, or the host reporting
     * an event.
     */
    readonly source: "user" | "hook" | "agent" | "peer" | "notification";
  };
  /** An event that the model should know about; it joins the history like a message. */
  readonly "system.notification": {
    readonly messageId: string;
    readonly content: string;
    readonly kind: NotificationKind;
  };
  /** A request to the model begins. */
  readonly "assistant.turn_start": { readonly turnId: string };
  readonly "assistant.turn_end": { readonly turnId: string };
  readonly "assistant.message_delta": { readonly messageId: string; readonly deltaContent: string };
  readonly "assistant.reasoning_delta": { readonly messageId: string; readonly deltaContent: string };
  readonly "assistant.message": Omit<AssistantMessage, "role"> & {
    readonly messageId: string;
    /** The user message that it answers. */
    readonly originatingMessageId: string | null;
    readonly model: string;
    /** The provider's own stop reason. */
    readonly stop: string | null;
  };
  /** The answers to all calls of the message before it, as sent to the model. */
  readonly "tool.answers": { readonly answers: readonly AnsweredCall[] };
  /** The request failed and will be retried. */
  readonly "assistant.retry": {
    readonly attempt: number;
    readonly of: number;
    /** Milliseconds until the retry. */
    readonly delay: number;
    readonly message: string;
  };
  /** A person ended the run. */
  readonly abort: { readonly reason: string };
  readonly "session.compaction_start": { readonly trigger: CompactionTrigger };
  readonly "session.compaction_complete": {
    readonly success: boolean;
    readonly trigger: CompactionTrigger;
    /** What replaces everything before `keptFrom`; null if results were dropped instead, or it failed. */
    readonly summary: string | null;
    /** The number of the first history event that stays unchanged; null if nothing changed. */
    readonly keptFrom: number | null;
    readonly error: string | null;
  };
  readonly "session.error": { readonly message: string; readonly status: number | null };
  /** The run is over and nothing waits. */
  readonly "session.idle": { readonly stopReason: RunStopReason };
}

/** A background agent has ended. */
export interface NotificationKind {
  readonly type: "agent_completed";
  readonly agentId: string;
  readonly agentType: string;
  /** `stopped`: not by the agent that started it. */
  readonly status: "completed" | "failed" | "stopped";
}

export type CompactionTrigger = "threshold" | "manual" | "context-limit";

export const TURN_EPHEMERAL = {
  "user.message": false,
  "system.notification": false,
  "assistant.turn_start": false,
  "assistant.turn_end": false,
  "assistant.message_delta": true,
  "assistant.reasoning_delta": true,
  "assistant.message": false,
  "tool.answers": false,
  "assistant.retry": true,
  abort: false,
  "session.compaction_start": false,
  "session.compaction_complete": false,
  "session.error": false,
  "session.idle": false,
} as const satisfies Record<keyof TurnEvents, boolean>;
