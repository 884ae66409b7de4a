import type { NoticeCode, ReasonCode } from "./codes.ts";
import type { Origin } from "./origin.ts";

/** Why a gate did not pass a tool: a stable code, one sentence, the setting behind it and what to change. */
export interface Reason {
  readonly code: ReasonCode;
  readonly text: string;
  readonly origin: Origin;
  /** What a person would do to see the tool, in the imperative and without a full stop. */
  readonly fix: string;
}

/** Something worth telling beside an answer; never a failure by itself. */
export interface Notice {
  readonly level: "info" | "warning";
  readonly code: NoticeCode;
  readonly text: string;
  readonly names: readonly string[];
  readonly origin: Origin;
  /** Of a name that nothing has: what was probably meant. */
  readonly nearest?: readonly string[];
}
