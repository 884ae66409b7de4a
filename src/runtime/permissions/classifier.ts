import type { ReasonCode } from "../../core/codes/codes.ts";
import type { PermissionRequest } from "./permission-request.ts";

/** What a classifier says; `unsure` leaves the question to people. */
export type Classification =
  | {
      readonly verdict: "safe" | "unsafe";
      readonly reason: string;
      /** What the decision is told under; `permission.classified` if absent. */
      readonly code?: ReasonCode;
    }
  | { readonly verdict: "unsure" };

export type ClassifierStage = (request: PermissionRequest) => Classification | Promise<Classification>;

/** Judges what no rule covers: a fast filter, and a slower judge for what that cannot clear. Off unless given. */
export interface Classifier {
  /** Asked first, and fast: a call that it calls safe runs. */
  readonly filter: ClassifierStage;
  /** Asked about what the filter did not call safe. */
  readonly judge?: ClassifierStage;
}

/** The filter may clear a call; only the judge, where there is one, may condemn it. A stage that fails is unsure. */
export async function classify({ filter, judge }: Classifier, request: PermissionRequest): Promise<Classification> {
  const first = await ask(filter, request);
  if (first.verdict === "safe" || judge === undefined) return first;
  return ask(judge, request);
}

async function ask(stage: ClassifierStage, request: PermissionRequest): Promise<Classification> {
  try {
    const answer = await stage(request);
    return answer?.verdict === "safe" || answer?.verdict === "unsafe" ? answer : { verdict: "unsure" };
  } catch {
    return { verdict: "unsure" };
  }
}
