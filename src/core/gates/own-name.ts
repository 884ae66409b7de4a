import type { Entry } from "../catalog/entry.ts";
import type { Resolver } from "../catalog/resolver.ts";
import { remember } from "../shape/remember.ts";

/** The prefixes that lists use for a kind of source, where the bare name means something else. */
export const FRONTS: ReadonlyMap<string, string> = new Map([
  ["builtin", "builtin"],
  ["module", "custom"],
  ["external", "custom"],
  ["skill", "skill"],
]);

/** What to write into a list for exactly this tool: a toolset of the same name would come first (I1). */
export function toOwnName({ id, tool }: Entry, { sets }: Pick<Resolver, "sets">): string {
  const front = FRONTS.get(tool.source);
  return front !== undefined && namesOf(sets).has(id) ? `${front}:${tool.name}` : id;
}

/** Built once per list of sets, however many tools are judged. */
const namesOf = remember((sets: Resolver["sets"]) => new Set(sets.flatMap(({ id, name }) => [id, name])));
