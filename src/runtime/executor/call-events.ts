import type { DecisionKind } from "../../core/call/decision.ts";
import type { Canceller, ResultType } from "../../core/call/tool-result.ts";
import type { PermissionKind } from "../permissions/permission-request.ts";

/** What the log and those who watch learn about calls. Nothing of this reaches the model. */
export interface CallEvents {
  readonly "tool.execution_start": {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly arguments: unknown;
    readonly mcpServerName: string | null;
    /** The call that made this one. */
    readonly parentToolCallId: string | null;
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
    /** What it ran with, or would have. */
    readonly arguments: unknown;
    readonly success: boolean;
    readonly resultType: ResultType;
    /** What the model gets to read. */
    readonly content: string;
    /** The real message, addresses and all. */
    readonly error: string | null;
    readonly sessionLog: string | null;
    readonly toolTelemetry: Readonly<Record<string, unknown>> | null;
    readonly cancelledBy: Canceller | null;
    /** Milliseconds from its arrival. */
    readonly duration: number;
    /** Milliseconds of that in its source; absent where it never ran. */
    readonly ran?: number;
    /** Where the caller stands in a trace, as it said itself (`traceparent` of W3C Trace Context). */
    readonly traceparent?: string;
    /** False: the stream never confirmed the call, so no model hears of it. */
    readonly sentToModel: boolean;
  };
  readonly "permission.requested": {
    readonly requestId: string;
    readonly toolCallId: string;
    readonly toolName: string;
    readonly kind: PermissionKind;
    readonly reason: string;
  };
  readonly "permission.completed": {
    /** Null: nobody had to be asked. */
    readonly requestId: string | null;
    /** Who answered; null where nobody was asked or nobody could be. */
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
    /** Milliseconds from its start, without the time it waited for a place. */
    readonly duration: number;
    /** How often this hook has failed in the session, this time included. */
    readonly failures: number;
  };
}
