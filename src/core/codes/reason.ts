import type { NoticeCode, ReasonCode } from "./codes.ts";
import type { Origin } from "./origin.ts";

/** Why a gate did not pass a tool: a stable code, one sentence, the responsible setting and what to change. */
export interface Reason {
  readonly code: ReasonCode;
  readonly text: string;
  readonly origin: Origin;
  /** What a person would do to get the tool, in the imperative and without a full stop. */
  readonly fix: string;
}

/** Information reported beside an answer; never a failure by itself. */
export interface Notice {
  readonly level: "info" | "warning";
  readonly code: NoticeCode;
  readonly text: string;
  readonly names: readonly string[];
  readonly origin: Origin;
  /** For an unknown name: what was probably meant. */
  readonly nearest?: readonly string[];
}
