import type { RunAgent, UsedView } from "../api/api.ts";

/** What is recorded of a run in progress; a page gets copies. */
export interface NotedCall {
  readonly id: string;
  readonly started: number;
  tool: string;
  arguments: unknown;
  duration: number | null;
  state: string;
  progress: string | null;
  result: string | null;
  line: number | null;
  agent: string | null;
  readonly inside: NotedCall[];
}

export interface NotedTurn {
  readonly kind: "turn";
  readonly number: number;
  model: string | null;
  text: string;
  hidden: number;
  thoughts: string;
  isStreaming: boolean;
  used: UsedView | null;
  readonly calls: NotedCall[];
  hiddenCalls: number;
}

export type NotedEntry = (
  | NotedTurn
  | { readonly kind: "said"; readonly by: string; readonly text: string }
  | { readonly kind: "note"; readonly tone: "plain" | "warn" | "bad"; readonly text: string }
) & {
  readonly key: number;
  readonly at: number;
  readonly agent: string | null;
  /** Grows with each change. */
  version: number;
  /** Its approximate size in characters. */
  size: number;
};

/** An entry without its position in a run. */
export type Unplaced = NotedEntry extends infer Entry
  ? Entry extends NotedEntry
    ? Omit<Entry, "key" | "version" | "size" | "at" | "agent">
    : never
  : never;

export type NotedAgent = { -readonly [Key in keyof RunAgent]: RunAgent[Key] };

export const NO_USAGE: UsedView = { requests: 0, input: 0, output: 0, cached: 0, cost: 0 };

export function addUsed(sum: UsedView, more: UsedView): UsedView {
  return {
    requests: sum.requests + more.requests,
    input: sum.input + more.input,
    output: sum.output + more.output,
    cached: sum.cached + more.cached,
    cost: sum.cost === null || more.cost === null ? null : sum.cost + more.cost,
  };
}
