import type { Answerer } from "../../../core/people/may-answer.ts";
import type { Caller, Role } from "../../../core/people/person.ts";
import { HttpRefusal } from "./answers.ts";

/** Who asks or acts through the API. */
export interface Actor extends Answerer {
  /** Null for the owner of the main token. */
  readonly person: Caller | null;
  /** The person's roles; "all" for the owner of the main token, who started this. */
  readonly roles: ReadonlySet<Role> | "all";
  /** As the log names a person; null for the owner of the main token. */
  readonly principal: string | null;
}

export const OWNER: Actor = { by: "the inspector", person: null, approves: "all", roles: "all", principal: null };

/** Everything but acting, and but what calls were about (O9). */
const LOOKING: readonly Role[] = ["viewer", "approver", "auditor", "admin"];

/** What calls and sessions hold is for auditors alone, not even for those who may change everything else. */
const READS: readonly (readonly [RegExp, readonly Role[]])[] = [
  [/^(?:calls|sessions|log)(?:\/|$)/, ["auditor"]],
  [/^(?:runs|questions)(?:\/|$)/, ["auditor", "admin"]],
  [/^approvals$/, ["approver"]],
];
const ACTS: readonly (readonly [RegExp, readonly Role[]])[] = [
  [/^approvals\//, ["approver"]],
  // It changes nothing, and its answer has nothing that was in a call.
  [/^rehearsals$/, ["viewer", "admin"]],
];

/** Throws unless a role of the actor allows it; what no line is about, admins alone may do. */
export function requireRole({ roles }: Pick<Actor, "roles">, method: string, path: string): void {
  if (roles === "all") return;
  const isAct = method === "POST";
  const needed = (isAct ? ACTS : READS).find(([pattern]) => pattern.test(path))?.[1] ?? (isAct ? ["admin"] : LOOKING);
  if (needed.some((role) => roles.has(role as Role))) return;
  throw new HttpRefusal(403, "http.role", `this needs the role ${needed.join(" or ")}`);
}
