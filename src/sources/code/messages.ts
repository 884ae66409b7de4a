import type { CodeLine } from "../../core/call/call.ts";

/** What one run of code may use of its thread. */
export interface CodeLimits {
  /** Milliseconds of computing, not counting the time in which the code waits for calls. */
  readonly computing: number;
  readonly calls: number;
  /** Characters that may be logged and returned. */
  readonly output: number;
  /** Characters of arguments, of all calls together. */
  readonly sent: number;
}

export const DEFAULT_CODE_LIMITS: CodeLimits = {
  computing: 10_000,
  calls: 1_000,
  output: 2 ** 20,
  sent: 16 * 2 ** 20,
};

export interface CodeRun {
  readonly code: string;
  /** The objects whose methods are tools. */
  readonly servers: readonly string[];
  /** The code's current time, in milliseconds. */
  readonly now: number;
  /** The seed of its random numbers. */
  readonly seed: number;
  readonly limits: CodeLimits;
}

/** What the code asks of the host: to call a tool, or to look tools up. */
export interface CodeCall {
  readonly id: number;
  /** As the code wrote it, such as `github.create_issue` or `tools.search`. */
  readonly name: string;
  /** JSON. */
  readonly args: string;
  /** Where the code made it; null if unknown. */
  readonly from: CodeLine | null;
}

export interface CodeAnswer {
  readonly id: number;
  readonly ok: boolean;
  /** Milliseconds that this process computed for it, which count as the code's own. */
  readonly computed: number;
  /** JSON of what the call resolves to, or why it failed. */
  readonly value: string;
}

/** How a run ended: what it returned, or what it threw and where. */
export interface CodeEnd {
  readonly ok: boolean;
  /** What was returned, as text; null if nothing was. Or the error. */
  readonly text: string | null;
  readonly from: CodeLine | null;
  readonly logs: readonly string[];
  /** The sandbox failed, or its memory has grown and would stay so: its thread is not reused. */
  readonly spent: boolean;
}

/** What a thread is started with. */
export interface ThreadData {
  /** The engine, compiled. */
  readonly engine: object;
  /** Where it reads whether it may have the memory that it asked for. */
  readonly granted: SharedArrayBuffer;
}

/** The values in `granted`. */
export const GRANT = { waiting: 0, yes: 1, no: 2 } as const;

export type ToWorker =
  | { readonly type: "run"; readonly run: CodeRun }
  | { readonly type: "answer"; readonly answer: CodeAnswer };

export type FromWorker =
  | { readonly type: "ready" }
  /** It wants so many more bytes, and continues once it knows whether it gets them. */
  | { readonly type: "grow"; readonly bytes: number }
  /** It waits for its calls, including these new ones, and has read so many messages of this run. */
  | { readonly type: "waits"; readonly calls: readonly CodeCall[]; readonly read: number }
  | { readonly type: "end"; readonly end: CodeEnd };

/** Bytes that one run may use, including the engine, and the size of the engine itself. */
export const MOST_MEMORY = 96 * 2 ** 20;
export const FIRST_MEMORY = 16 * 2 ** 20;

export function computedTooLong(computing: number): string {
  return `The code computed for more than ${computing / 1000} s and was stopped.`;
}

const LESS = "Keep less at once: ask tools for less, and go through large things part by part.";

/** An error that the code itself can catch. */
export const OUT_OF_MEMORY = `out of memory: code may have ${toMegabytes(MOST_MEMORY)} MB. ${LESS}`;

export function neededTooMuch(): string {
  return `The code needed more than its ${toMegabytes(MOST_MEMORY)} MB of memory and was stopped. ${LESS}`;
}

export function sharedTooMuch(had: number): string {
  return `The code had ${toMegabytes(had)} MB of memory and was stopped when it needed more: the rest is in use by other code that runs now. Run it again once that has ended. ${LESS}`;
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
