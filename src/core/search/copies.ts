import { countIn } from "./postings.ts";
import type { Scored } from "./score-words.ts";
import type { Indexed, SearchIndex } from "./search-index.ts";

const DESCRIPTION = 1;
/** Descriptions that share this much of their words are equal. */
const SAME = 0.8;

/** One copy of a tool that several servers have keeps its rank; the others go after all other tools. */
export function putCopiesLast<K>({ slots }: SearchIndex<K>, ranked: readonly Scored[]): readonly Scored[] {
  const byName = new Map<string, Indexed<K>[]>();
  const copies: Scored[] = [];
  const firsts = ranked.filter((scored) => {
    const tool = slots[scored.slot];
    if (tool === undefined) return true;
    const known = byName.get(tool.name);
    const isCopy = known?.some((other) => other.server !== tool.server && saysTheSame(other, tool)) === true;
    if (isCopy) copies.push(scored);
    else if (known === undefined) byName.set(tool.name, [tool]);
    else known.push(tool);
    return !isCopy;
  });
  return [...firsts, ...copies];
}

function saysTheSame<K>(a: Indexed<K>, b: Indexed<K>): boolean {
  const [left, right] = [described(a), described(b)];
  const shared = [...left].filter((id) => right.has(id)).length;
  // A few extra words do not make it another tool.
  return shared >= SAME * Math.min(left.size, right.size);
}

function described<K>({ terms, counts }: Indexed<K>): ReadonlySet<number> {
  return new Set([...terms].filter((_, at) => countIn(counts[at] ?? 0, DESCRIPTION) > 0));
}
