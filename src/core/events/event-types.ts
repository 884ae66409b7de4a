import type { CodeLine } from "../call/call.ts";
import type { DecisionKind } from "../call/decision.ts";
import type { PermissionKind } from "../call/permission-kind.ts";
import type { Canceller, ResultType } from "../call/tool-result.ts";
import type { Notice } from "../codes/reason.ts";
import type { Mode } from "../scene/scene.ts";
import type { Owner } from "../tool/tool.ts";
import type { StateEvents } from "./state-events.ts";
import { TURN_EPHEMERAL, type TurnEvents } from "./turn-events.ts";

/** What the log and observers learn about calls. Nothing of this reaches the model. */
export interface CallEvents {
  /** A call was accepted: its tool exists and its arguments are valid. Hooks, rules and people come next. */
  readonly "tool.execution_start": {
    readonly toolCallId: string;
    readonly toolName: string;
    /** As received; hooks and people may still change them. */
    readonly arguments: unknown;
    readonly mcpServerName: string | null;
    /** The call that made this one. */
    readonly parentToolCallId: string | null;
    /** The line of code that made it, if the parent runs code. */
    readonly codeLine?: CodeLine;
  };
  /** Its source is called next: from here on the call may have had an effect. */
  readonly "tool.running": {
    readonly toolCallId: string;
    readonly toolName: string;
    /** What it runs with. */
    readonly arguments: unknown;
    /** Only asks somebody outside: `external_tool.requested` follows, and is what is stored. */
    readonly onlyAsks?: true;
    /** Whose login, key or token it is made with, where its source has one of the caller's own. */
    readonly login?: string;
  };
  readonly "tool.execution_progress": {
    readonly toolCallId: string;
    readonly progressMessage: string | null;
    readonly progress: number | null;
    readonly total: number | null;
  };
  readonly "tool.execution_complete": {
    readonly toolCallId: string;
    readonly toolName: string;
    /** What it ran with, or would have run with. */
    readonly arguments: unknown;
    readonly success: boolean;
    readonly resultType: ResultType;
    /** The text the model reads. */
    readonly content: string;
    /** The real message, including addresses. */
    readonly error: string | null;
    /** Why Toolcrib itself refused or failed it, such as `permission.refused`. */
    readonly code?: string;
    readonly sessionLog: string | null;
    readonly toolTelemetry: Readonly<Record<string, unknown>> | null;
    readonly cancelledBy: Canceller | null;
    /** Milliseconds from its arrival. */
    readonly duration: number;
    /** Milliseconds of that in its source; absent if it never ran. */
    readonly ran?: number;
    /** The caller's position in a trace, as it reported it (`traceparent` of W3C Trace Context). */
    readonly traceparent?: string;
    /** False: the stream never confirmed the call, so no model sees it. */
    readonly sentToModel: boolean;
  };
  /** A result too long for the model is stored whole under this id. */
  readonly "tool.result_kept": { readonly toolCallId: string; readonly id: string };
  /** Filters found something in its arguments or its result. */
  readonly "tool.filtered": {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly on: "arguments" | "results";
    readonly found: readonly Filtered[];
  };
  readonly "permission.requested": {
    readonly requestId: string;
    readonly toolCallId: string;
    readonly toolName: string;
    readonly kind: PermissionKind;
    readonly reason: string;
    /** Digest of what a yes is about. */
    readonly about?: string;
  };
  readonly "permission.completed": {
    /** Null: nobody had to be asked. */
    readonly requestId: string | null;
    /** Who answered; null if nobody was asked or could be. */
    readonly by: string | null;
    readonly toolCallId: string;
    readonly toolName: string;
    readonly decision: DecisionKind;
    readonly code: string;
    readonly text: string;
    readonly origin: string;
  };
  readonly "hook.start": {
    readonly hookId: string;
    readonly event: string;
    readonly name: string;
    readonly toolCallId: string | null;
  };
  readonly "hook.end": {
    readonly hookId: string;
    readonly event: string;
    readonly name: string;
    readonly toolCallId: string | null;
    readonly outcome: "ok" | "blocked" | "failed" | "timeout" | "not-started";
    readonly error: string | null;
    /** Milliseconds from its start, without the time it waited for a slot. */
    readonly duration: number;
    /** How often this hook has failed in the session, including this time. */
    readonly failures: number;
  };
}

/** What a filter found, by its kind: never what it says. */
export interface Filtered {
  readonly kind: string;
  readonly count: number;
  readonly act: "mask" | "block" | "note";
  /** The filter's place. */
  readonly origin: string;
  /** What an outside judge said for logs, or how it failed. */
  readonly reason?: string;
}

/** A call to be answered from outside this process: `external_tool.requested`. */
export interface ExternalRequest {
  /** Identifies this request in the answer; only its owner knows it. */
  readonly requestId: string;
  readonly owner: Owner;
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** `external_tool.completed`: answered, failed or cancelled. */
export interface ExternalCompletion {
  readonly requestId: string;
  readonly owner: Owner;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly resultType: ResultType;
}

interface ClientNote {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Events of older sessions have the name alone. */
export interface InvokedSkill {
  readonly name: string;
  /** The file that leads it. */
  readonly path?: string;
  /** What it tells the model. */
  readonly content?: string;
}

/** What each event of a session carries. */
export interface SessionEvents extends CallEvents, StateEvents, TurnEvents {
  /** The tools changed for this model; ask the session for the schemas. */
  readonly "session.tools_updated": { readonly model: string | null };
  readonly "session.mode_changed": { readonly previousMode: Mode; readonly newMode: Mode };
  /** A run on autopilot reports that it is done. */
  readonly "session.task_complete": { readonly summary: string };
  readonly "session.info": Omit<Notice, "level">;
  readonly "session.warning": Omit<Notice, "level">;
  /** A skill became active, once in the life of a session. */
  readonly "skill.invoked": InvokedSkill;
  /** A note of the host program, stored for it and without meaning here. */
  readonly "client.event": ClientNote;
  /** The same for current listeners only. */
  readonly "client.signal": ClientNote;
  readonly "external_tool.requested": ExternalRequest;
  readonly "external_tool.completed": ExternalCompletion;
}

export type EventName = keyof SessionEvents;

/** Whether an event is for current listeners only; such events are never stored or replayed. */
export const EPHEMERAL = {
  ...TURN_EPHEMERAL,
  "session.started": false,
  "session.resumed": false,
  "session.forked": false,
  "session.options_changed": false,
  "session.promotions_changed": false,
  "session.database_changed": false,
  "session.file_changed": false,
  "session.todo_changed": false,
  "session.world_changed": false,
  "session.tools_updated": true,
  "session.mode_changed": false,
  "session.task_complete": false,
  "session.info": false,
  "session.warning": false,
  "skill.invoked": false,
  "client.event": false,
  "client.signal": true,
  "external_tool.requested": false,
  "external_tool.completed": false,
  "subagent.selected": false,
  "subagent.deselected": false,
  "subagent.started": false,
  "subagent.completed": false,
  "subagent.failed": false,
  "history.truncated": false,
  "assistant.usage": false,
  "tool.execution_start": false,
  "tool.running": false,
  "tool.execution_progress": true,
  "tool.execution_complete": false,
  "tool.result_kept": false,
  "permission.requested": false,
  "permission.completed": false,
  "permission.granted": false,
  "permission.revoked": false,
  "user_input.requested": false,
  "user_input.completed": false,
  "elicitation.requested": false,
  "elicitation.completed": false,
  "plan.requested": false,
  "plan.completed": false,
  "tool.filtered": false,
  "hook.start": false,
  "hook.end": false,
} as const satisfies Record<EventName, boolean>;

/**
 * Events that the state depends on: a program that does not know such a type may read the session but must not continue
 * it. The mark is stored with the event, so that older programs see it.
 */
export const CRITICAL: ReadonlySet<EventName> = new Set<EventName>([
  "history.truncated",
  "session.forked",
  "session.compaction_complete",
]);
