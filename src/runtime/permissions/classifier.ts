import type { ReasonCode } from "../../core/codes/codes.ts";
import type { Origin } from "../../core/codes/origin.ts";
import type { PermissionRequest } from "./permission-request.ts";

/** A classifier's verdict; `unsure` leaves it to the next stage and then to people, `ask` to people at once. */
export type Classification =
  | {
      readonly verdict: "safe" | "unsafe";
      readonly reason: string;
      /** The code of the decision; `permission.classified` if absent. */
      readonly code?: ReasonCode;
      /** The setting that caused it; none if absent. */
      readonly origin?: Origin;
    }
  | { readonly verdict: "unsure" | "ask" };

export type ClassifierStage = (request: PermissionRequest) => Classification | Promise<Classification>;

/**
 * Judges calls that no rule covers: a fast filter, and a slower judge for what the filter cannot clear. Off unless
 * given.
 */
export interface Classifier {
  /** Called first, and fast: a call that it clears runs. */
  readonly filter: ClassifierStage;
  /** Called for what the filter did not clear. */
  readonly judge?: ClassifierStage;
}

/** The filter may clear a call; only the judge, if there is one, may condemn it. A stage that fails is unsure. */
export async function classify({ filter, judge }: Classifier, request: PermissionRequest): Promise<Classification> {
  const first = await ask(filter, request);
  if (first.verdict === "safe" || first.verdict === "ask" || judge === undefined) return first;
  return ask(judge, request);
}

/** Adds a stage that answers, instead of people, what a classifier leaves open. */
export function withStandIn(classifier: Classifier | null, fallback: ClassifierStage | null): Classifier | null {
  if (fallback === null) return classifier;
  if (classifier === null) return { filter: fallback };
  return {
    filter: () => ({ verdict: "unsure" }),
    async judge(request) {
      const classified = await classify(classifier, request);
      return classified.verdict === "safe" || classified.verdict === "unsafe" ? classified : fallback(request);
    },
  };
}

const VERDICTS: ReadonlySet<unknown> = new Set(["safe", "unsafe", "ask"]);

async function ask(stage: ClassifierStage, request: PermissionRequest): Promise<Classification> {
  try {
    const answer = await stage(request);
    return VERDICTS.has(answer?.verdict) ? answer : { verdict: "unsure" };
  } catch {
    return { verdict: "unsure" };
  }
}
