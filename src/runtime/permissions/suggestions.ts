import type { Entry } from "../../core/catalog/entry.ts";
import type { Args } from "../executor/read-arguments.ts";
import type { CallSubject } from "./call-subject.ts";
import { describeGrant, digestOf } from "./grant.ts";
import type { Suggestion } from "./permission-request.ts";

/** What could be kept of an approval: the narrowest rules, and these very arguments. */
export function suggest(
  { identity }: Entry,
  args: Args,
  rules: readonly string[],
  { subject }: CallSubject,
): readonly Suggestion[] {
  const text = describeGrant({ tool: identity, rules: [], digest: digestOf(args) });
  const bound: Suggestion = { rules: [], text };
  // A file that no rule can name would be asked about again, so a part of them is not worth keeping.
  const isWhole = (subject.kind !== "read" && subject.kind !== "write") || rules.length === subject.paths.length;
  return rules.length === 0 || !isWhole ? [bound] : [{ rules, text: rules.join(", ") }, bound];
}
