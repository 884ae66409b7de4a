import { formatOrigin, type Origin } from "../../core/codes/origin.ts";
import type { RuleList, RuleTaker, Words } from "./client-rule.ts";

/** An entry of a client where one of several matching ones counts, and not the strictest. */
export interface RankedEntry {
  /** The tool, in the client's words: only entries about the same one meet. `*` is every tool. */
  readonly group: string;
  readonly list: RuleList;
  readonly said: string;
  readonly words: Words;
  /** It is about every call of the tool. */
  readonly isAll: boolean;
  /** Of two that match, the higher one counts. */
  readonly rank: number;
  readonly origin: Origin;
  readonly taker: RuleTaker;
}

/**
 * Such entries as rules of which the strictest counts. What a stricter entry about the whole tool takes back is left out.
 * "Ask about the rest" is what happens here anyway; "deny the rest" has no exceptions here.
 */
export function settleRanks(entries: readonly RankedEntry[]): void {
  for (const entry of entries) {
    const { list, said, words, origin, taker } = entry;
    const others = entries.filter((other) => other !== entry && meets(other, entry));
    const strict = others.filter((other) => other.isAll && other.list !== "allow");
    const over = strict.find((other) => other.rank >= entry.rank);
    const rest = strict.find((other) => other.list === "deny" && typeof other.words !== "string");
    if (list === "allow" && over !== undefined) taker.leave(said, `${named(over)} counts instead`, origin);
    else if (list === "allow" && rest !== undefined) taker.leave(said, `${named(rest)} has no exceptions here`, origin);
    else if (list === "ask" && entry.isAll && others.some((other) => other.list === "allow" && other.rank > entry.rank))
      taker.leave(said, "what no rule covers is asked about here anyway", origin);
    else taker.take(list, said, words, origin);
  }
}

function meets(other: RankedEntry, { group }: RankedEntry): boolean {
  return other.group === group || other.group === "*";
}

function named({ said, origin }: RankedEntry): string {
  return `${said} (${formatOrigin(origin)})`;
}
