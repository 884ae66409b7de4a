import { type PermissionAnswer, readAnswer } from "../../../runtime/permissions/permission-request.ts";
import { isJson, type Json, textOf } from "../wire/wire-values.ts";

/** What a client decided about a call. */
export interface ClientDecision {
  /** What became of the question, in the clients' words. */
  readonly outcome: string;
  readonly answer: PermissionAnswer;
  /** It cannot be read, so it is a no. */
  readonly isUnknown: boolean;
}

/** How clients say that they could ask nobody. */
const UNANSWERED = /^(?:denied-.*|user-not-available|no-result)$/;
const NOBODY = "denied-no-approval-rule-and-could-not-request-from-user";
const REJECTED = "denied-interactively-by-user";

/** By the clients' word for their answer; older clients say the outcome itself. */
const OUTCOMES: ReadonlyMap<string, string> = new Map([
  ["approve-once", "approved"],
  ["approved", "approved"],
  ["approve-for-session", "approved-for-session"],
  ["approved-for-session", "approved-for-session"],
  ["approve-for-location", "approved-for-location"],
  ["approved-for-location", "approved-for-location"],
  ["approve-permanently", "approved-for-location"],
  ["reject", REJECTED],
  [REJECTED, REJECTED],
  ["denied-by-rules", "denied-by-rules"],
  ["cancelled", "cancelled"],
]);

/** An answer has a `kind`, or a `decision` as the library's have. */
export function readDecision(given: Json): ClientDecision {
  const kind = textOf(given.kind);
  if (kind === undefined && (given.decision === "allow" || given.decision === "deny")) return fromLibrary(given);
  const outcome = OUTCOMES.get(kind ?? "") ?? NOBODY;
  const isUnknown = outcome === NOBODY && !UNANSWERED.test(kind ?? "");
  return { outcome, answer: toAnswer(outcome, textOf(given.feedback)), isUnknown };
}

/** As in the library, save that nothing is stored longer than for the session. */
function fromLibrary(given: Json): ClientDecision {
  const { decision, scope, reason, endTurn, updatedInput } = readAnswer(given);
  if (decision === "deny")
    return {
      ...{ outcome: REJECTED, isUnknown: false },
      answer: { decision, endTurn: endTurn === true, ...(reason === undefined ? {} : { reason }) },
    };
  return {
    outcome: scope === "once" ? "approved" : "approved-for-session",
    answer: { decision, ...(isJson(updatedInput) ? { updatedInput } : {}) },
    isUnknown: false,
  };
}

function toAnswer(outcome: string, feedback: string | undefined): PermissionAnswer {
  if (outcome.startsWith("approved")) return { decision: "allow" };
  if (feedback) return { decision: "deny", reason: feedback };
  return outcome === REJECTED ? { decision: "deny", endTurn: true } : { decision: "deny", isUnasked: true };
}

export function describeUnknown({ kind, decision }: Json, toolName: string): string {
  const [field, given] = kind === undefined ? ["decision", decision] : ["kind", kind];
  const said =
    given === undefined ? "without a kind" : `with the ${field} ${(JSON.stringify(given) ?? "").slice(0, 100)}`;
  const kinds = ["approve-once", "approve-for-session", "approve-for-location", "reject", "user-not-available"];
  return `the call of ${toolName} was denied: the app's permission handler answered ${said}, and kinds are ${kinds.join(", ")}; { decision: "allow" } or "deny" is fine too`;
}
