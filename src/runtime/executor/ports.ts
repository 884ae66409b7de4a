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
import type { ExecutorLimits } from "./executor-limits.ts";
import type { PreparedCall } from "./prepare-call.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Validator } from "./validator.ts";

/** What pre-tool hooks make of a call, all of them together. */
export interface PreToolOutcome {
  /** The strictest that any of them said; null when none said anything. */
  readonly decision: "allow" | "ask" | "deny" | null;
  readonly reason: string | null;
  /** The whole new input; absent when it stays. */
  readonly updatedInput?: unknown;
  readonly additionalContext: readonly string[];
  /** A hook ended the turn. */
  readonly endTurn: boolean;
}

export interface PostToolOutcome {
  /** The result in place of the tool's own; absent when it stays. */
  readonly result?: ToolResult;
  readonly additionalContext: readonly string[];
  readonly endTurn: boolean;
}

export interface CallHooks {
  /** What they say of a call whose tool nobody has looked up yet. */
  /** What managed policy's own hooks say to input that somebody changed after all hooks had seen it. */
  review?(prepared: PreparedCall, cancelling: Cancelling): Eventual<PreToolOutcome>;
  preUnknown?(call: Call, cancelling: Cancelling): Eventual<PreToolOutcome>;
  pre(prepared: PreparedCall, cancelling: Cancelling): Eventual<PreToolOutcome>;
  post(prepared: PreparedCall, result: ToolResult, duration: number, cancelling: Cancelling): Eventual<PostToolOutcome>;
}

export interface JudgeOptions {
  readonly hook: Pick<PreToolOutcome, "decision" | "reason">;
  /** False while the model still streams: nothing is asked before the stop reason. */
  readonly mayAsk: boolean;
  readonly cancelling: Cancelling;
  readonly onAsking: () => void;
}

/** What the permission pipeline says about the input as it would run. */
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
      /** `rejected` ends the turn, `denied` lets the model go on. */
      readonly resultType: "denied" | "rejected";
    }
  /** Somebody would have to be asked, and that may not be done yet. */
  | { readonly kind: "open"; readonly decision: Decision }
  /** Whoever was asked agreed to another input, which has to be judged itself. */
  | { readonly kind: "rewritten"; readonly decision: Decision; readonly updatedInput: unknown };

/** For a call that may run: which files and addresses it may use, of those that it names or comes across. */
export type CallReach = Pick<RunContext, "mayRead" | "mayFetch" | "whyClosed">;

export interface CallPermissions {
  judge(prepared: PreparedCall, options: JudgeOptions): Eventual<Judgement>;
  /** Changes whenever a rule or the mode does. */
  readonly revision: unknown;
}

/** Where results go that are too long for a model. */
export interface Spill {
  write(call: Call, text: string): Promise<string>;
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
  /** What the call excludes; `readOnly` is what the judgement of its input found. */
  readonly accessOf: (prepared: PreparedCall, readOnly: boolean) => Access;
  /** Whether the tool's own claims may be relied on for more than scheduling. */
  readonly isTrusted: (tool: Tool) => boolean;
  readonly emit: Emitter["emit"];
  readonly spill: Spill;
  /** Hooks hear of calls whose tool is not there too, before anybody says so. */
  readonly hooksFirst?: boolean;
  /** Keeps a result that is too long for a model and says what that reads instead; our own way if absent. */
  readonly sayLong?: (text: string) => Promise<string>;
  /**
   * Asked once it was told that a call runs, before it does; what it gives is the result in place of running it. Null at
   * once where nothing is in the way.
   */
  readonly beforeRun?: (prepared: PreparedCall) => Promise<ToolResult | null> | null;
  readonly limits: ExecutorLimits;
  readonly onError: (text: string, error: unknown) => void;
}
