import { matchesName } from "./glob-match.ts";

/**
 * Whether a rule's pattern and a pattern that a shell will expand may match the same path, segment by segment. If both
 * are patterns this errs towards yes. A shell's `*` and `?` match no leading dot.
 */
export function mayMeet(rule: readonly string[], expanded: readonly string[]): boolean {
  let reach = new Set([0]);
  for (const segment of rule) {
    const next = new Set<number>();
    for (const at of reach) {
      if (segment === "**") for (let later = at; later <= expanded.length; later++) next.add(later);
      else if (at < expanded.length && namesMeet(segment, expanded[at] ?? "")) next.add(at + 1);
    }
    reach = next;
  }
  return reach.has(expanded.length);
}

const WILD = /[*?[]/;

function namesMeet(rule: string, expanded: string): boolean {
  if (!WILD.test(expanded)) return matchesName(rule, expanded);
  if (rule.startsWith(".") && WILD.test(expanded[0] ?? "")) return false;
  if (!WILD.test(rule)) return matchesName(expanded, rule);
  const [one, two] = [endsOf(rule), endsOf(expanded)];
  const headsMeet = one.head.startsWith(two.head) || two.head.startsWith(one.head);
  return headsMeet && (one.tail.endsWith(two.tail) || two.tail.endsWith(one.tail));
}

/** The literal text before the first wildcard and after the last one. */
function endsOf(pattern: string): { readonly head: string; readonly tail: string } {
  const [head = ""] = pattern.split(WILD);
  return { head, tail: /[^*?[\]]*$/.exec(pattern)?.[0] ?? "" };
}
