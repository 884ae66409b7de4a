import type { CodeLine } from "../../core/call/call.ts";

/** What one run of code may use of its worker. */
export interface CodeLimits {
  /** Milliseconds of computing, without the time in which the code waits for calls. */
  readonly computing: number;
  /** Bytes of the code's own memory. */
  readonly memory: number;
  readonly calls: number;
  /** Characters that may be logged and returned. */
  readonly output: number;
  /** Characters of arguments, of all calls together. */
  readonly sent: number;
}

export const DEFAULT_CODE_LIMITS: CodeLimits = {
  computing: 10_000,
  memory: 96 * 2 ** 20,
  calls: 1_000,
  output: 2 ** 20,
  sent: 16 * 2 ** 20,
};

export interface CodeRun {
  readonly code: string;
  /** The objects whose methods are tools. */
  readonly servers: readonly string[];
  /** What the code takes for now, in milliseconds. */
  readonly now: number;
  /** What its random numbers follow from. */
  readonly seed: number;
  readonly limits: CodeLimits;
}

/** What the code wants of the outside: a tool called, or tools looked up. */
export interface CodeCall {
  readonly id: number;
  /** As the code wrote it, such as `github.create_issue` or `tools.search`. */
  readonly name: string;
  /** JSON. */
  readonly args: string;
  /** Where the code made it; null where that is not known. */
  readonly from: CodeLine | null;
}

export interface CodeAnswer {
  readonly id: number;
  readonly ok: boolean;
  /** JSON of what the call resolves to, or why it failed. */
  readonly value: string;
}

/** How a run ended: what it returned, or what it threw and where. */
export interface CodeEnd {
  readonly ok: boolean;
  /** What was returned, as text; null where nothing was. Or the error. */
  readonly text: string | null;
  readonly from: CodeLine | null;
  readonly logs: readonly string[];
  /** The sandbox itself failed, so its thread is not used again. */
  readonly broken: boolean;
}

export type ToWorker =
  | { readonly type: "run"; readonly run: CodeRun }
  | { readonly type: "answer"; readonly answer: CodeAnswer };

export type FromWorker =
  | { readonly type: "ready" }
  /** It waits for its calls, these among them, having read so many messages of this run. */
  | { readonly type: "waits"; readonly calls: readonly CodeCall[]; readonly read: number }
  | { readonly type: "end"; readonly end: CodeEnd };

export function computedTooLong(computing: number): string {
  return `The code computed for more than ${computing / 1000} s and was stopped.`;
}
