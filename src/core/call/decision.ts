import type { ReasonCode } from "../codes/codes.ts";
import type { Origin } from "../codes/origin.ts";

export const DECISIONS = ["allow", "ask", "deny"] as const;
export type DecisionKind = (typeof DECISIONS)[number];

/** What was decided about a call, and why. Made when a tool is called. */
export interface Decision {
  readonly decision: DecisionKind;
  readonly code: ReasonCode;
  readonly text: string;
  readonly origin: Origin;
  /** The deciding rule, as written; null when no rule decided. */
  readonly rule: string | null;
  /** What was judged separately: each command of a shell line, each file. */
  readonly parts: readonly DecidedPart[];
}

export interface DecidedPart {
  readonly part: string;
  readonly decision: DecisionKind;
  readonly code: ReasonCode;
  readonly text: string;
  readonly rule: string | null;
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const satisfies Record<DecisionKind, number>;

/** The first of the strictest decisions. */
export function strictest<T extends { readonly decision: DecisionKind }>(all: readonly T[]): T | undefined {
  let found: T | undefined;
  for (const one of all) {
    if (found === undefined || STRICTNESS[one.decision] > STRICTNESS[found.decision]) found = one;
  }
  return found;
}
