import type { Call } from "../../core/call/call.ts";
import type { Cancelling } from "../../core/call/cancelling.ts";
import type { Decision } from "../../core/call/decision.ts";
import type { Eventual } from "../../core/call/eventual.ts";
import type { ToolResult } from "../../core/call/tool-result.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { RunContext } from "../../sources/source.ts";
import type { Clock } from "../../system/time/clock.ts";
import type { Emitter } from "../events/emitter.ts";
import type { Access } from "./access.ts";
import type { EarlyEvents } from "./early-events.ts";
import type { ExecutorLimits } from "./executor-limits.ts";
import type { PreparedCall } from "./prepare-call.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Step } from "./step.ts";
import type { Validator } from "./validator.ts";

/** The joint outcome of all pre-tool hooks of a call. */
export interface PreToolOutcome {
  /** The strictest decision of any of them; null if none decided. */
  readonly decision: "allow" | "ask" | "deny" | null;
  readonly reason: string | null;
  /** The whole new input; absent if unchanged. */
  readonly updatedInput?: unknown;
  readonly additionalContext: readonly string[];
  /** A hook ended the turn. */
  readonly endTurn: boolean;
}

export interface PostToolOutcome {
  /** The result instead of the tool's own; absent if unchanged. */
  readonly result?: ToolResult;
  readonly additionalContext: readonly string[];
  readonly endTurn: boolean;
}

export interface CallHooks {
  /** What managed policy's own hooks say about input that was changed after all hooks had seen it. */
  review?(prepared: PreparedCall, cancelling: Cancelling): Eventual<PreToolOutcome>;
  /** For a call whose tool is not known. */
  preUnknown?(call: Call, cancelling: Cancelling): Eventual<PreToolOutcome>;
  pre(prepared: PreparedCall, cancelling: Cancelling): Eventual<PreToolOutcome>;
  post(prepared: PreparedCall, result: ToolResult, duration: number, cancelling: Cancelling): Eventual<PostToolOutcome>;
}

/** What may not pass into tools, or out of them. */
export interface CallFilters {
  /** The call with what may be left of its arguments, or its end. */
  arguments(prepared: PreparedCall, cancelling: Cancelling): Eventual<Step<PreparedCall>>;
  /** The same for logs, of a call that never ran. */
  shown(given: unknown): unknown;
  result(prepared: PreparedCall, result: ToolResult, cancelling: Cancelling): Eventual<ToolResult>;
  /** What is left of something that a tool says while it runs, or asks its client; null if it may say everything. */
  passing(prepared: PreparedCall): (<T>(said: T) => T) | null;
}

export interface JudgeOptions {
  readonly hook: Pick<PreToolOutcome, "decision" | "reason">;
  /** False while the model still streams: nothing is asked before the stop reason. */
  readonly mayAsk: boolean;
  readonly cancelling: Cancelling;
  readonly onAsking: () => void;
}

/** The permission pipeline's verdict about the input as it would run. */
export type Judgement =
  | {
      readonly kind: "allowed";
      readonly decision: Decision;
      readonly readOnly: boolean;
      readonly reach: (prepared: PreparedCall) => CallReach;
    }
  | {
      readonly kind: "denied";
      readonly decision: Decision;
      /** `rejected` ends the turn, `denied` lets the model continue. */
      readonly resultType: "denied" | "rejected";
    }
  /** Nobody is asked about what is bound to fail. */
  | { readonly kind: "futile"; readonly decision: Decision; readonly result: ToolResult }
  /** Somebody would have to be asked, which is not possible yet. */
  | { readonly kind: "open"; readonly decision: Decision }
  /** The person agreed to different input, which must itself be judged. */
  | { readonly kind: "rewritten"; readonly decision: Decision; readonly updatedInput: unknown };

/** For a call that may run: which files and addresses it may use, of those that it names or finds. */
export type CallReach = Pick<RunContext, "mayRead" | "mayFetch" | "whyClosed">;

/** A call that was allowed, and under what. */
export interface AllowedCall {
  readonly prepared: PreparedCall;
  readonly decision: Decision;
  /** What hooks, or an approval that changed its input, said before the rules were asked. */
  readonly hook: Pick<PreToolOutcome, "decision" | "reason">;
  /** Somebody's yes to it, which may have been to other input that they changed; null if a rule allowed it. */
  readonly approval: Decision | null;
  /** Of the rules when hooks first saw it. */
  readonly revision: unknown;
}

export interface CallPermissions {
  judge(prepared: PreparedCall, options: JudgeOptions): Eventual<Judgement>;
  /**
   * Judges a call once more that was allowed under an earlier revision, or by somebody. Nobody is asked again: a yes goes
   * on counting for exactly the same question, and for no other.
   */
  again(prepared: PreparedCall, allowed: AllowedCall, cancelling: Cancelling): Eventual<Judgement>;
  /** Whether its command line only reads, and no rule or mode asks about it or denies it; none does if absent. */
  onlyReads?(prepared: PreparedCall): Eventual<boolean>;
  /** Changes whenever a rule or the mode does. */
  readonly revision: unknown;
}

/** Where results go that are too long for a model. */
export interface Spill {
  write(call: Call, text: string): Promise<string>;
}

/** How much callers may use. */
export interface CallAllowance {
  /** The result instead of running it, if that is known before anybody is asked about the call. */
  refusal(prepared: PreparedCall): ToolResult | null;
  /** Right before it runs: counts it, or refuses it. */
  take(prepared: PreparedCall): Eventual<TakenCall | { readonly kind: "refused"; readonly result: ToolResult }>;
}

/** A call that was counted. */
export interface TakenCall {
  readonly kind: "taken";
  /** For the model, beside the result; null: nothing. */
  readonly note: string | null;
  /** Counts what the model gets. */
  count(result: ToolResult): void;
  /** Its source has let go of it. */
  leave(): void;
}

/** Everything that the executor needs and does not do itself. */
export interface ExecutorPorts {
  readonly sessionId: string;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly validator: Validator;
  readonly scheduler: Scheduler;
  readonly hooks: CallHooks;
  readonly permissions: CallPermissions;
  /** Nothing is filtered if absent. */
  readonly filters?: CallFilters;
  /** What the call excludes; `readOnly` comes from the judgement of its input. */
  readonly accessOf: (prepared: PreparedCall, readOnly: boolean) => Access;
  /** Whether the tool's own claims are believed for more than scheduling. */
  readonly isTrusted: (tool: Tool) => boolean;
  readonly emit: Emitter["emit"];
  /** Through which `emit` goes; calls that start early report themselves at once if absent. */
  readonly early?: Pick<EarlyEvents, "follow">;
  readonly spill: Spill;
  /** Hooks also see calls whose tool does not exist, before that is reported. */
  readonly hooksFirst?: boolean;
  /** Stores a result that is too long for a model and returns the text that the model reads; the default way if absent. */
  readonly storeLong?: (text: string) => Promise<string>;
  /** Called after a call's start was emitted, before it runs; a result replaces running it. Null at once if it may run. */
  readonly beforeRun?: (prepared: PreparedCall) => Promise<ToolResult | null> | null;
  /** Null while nothing limits what this caller may use. */
  readonly allowance?: () => CallAllowance | null;
  readonly limits: ExecutorLimits;
  readonly onError: (text: string, error: unknown) => void;
}
