import type { Entry } from "../catalog/entry.ts";
import type { Reason } from "../codes/reason.ts";
import type { ResolvedScene } from "../scene/resolved-scene.ts";

/** A gate's answer for one tool at list time. Passing allocates nothing. */
export type Verdict =
  | { readonly kind: "pass" }
  | { readonly kind: "hide"; readonly reasons: readonly Reason[] }
  | { readonly kind: "defer"; readonly reasons: readonly Reason[] };

/** One job, no state, no effect: the same entry in the same scene always gets the same verdict. */
export interface AnyGate {
  readonly name: string;
  judge(entry: Entry, scene: ResolvedScene): Verdict;
}

export const pass: Verdict = { kind: "pass" };

/** A gate may have several reasons at once, and a person who asks deserves them all. */
export function hideFor(reasons: readonly Reason[]): Verdict {
  return reasons.length === 0 ? pass : { kind: "hide", reasons };
}

export function hide(reason: Reason): Verdict {
  return { kind: "hide", reasons: [reason] };
}
