import type { Entry } from "../catalog/entry.ts";
import type { Resolver } from "../catalog/resolver.ts";
import { remember } from "../shape/remember.ts";

/** What lists call the tools of one kind of source by, where the bare name means something else. */
export const FRONTS: ReadonlyMap<string, string> = new Map([
  ["builtin", "builtin"],
  ["module", "custom"],
  ["external", "custom"],
  ["skill", "skill"],
]);

/** What to write into a list for this tool and no other: a toolset of the same name comes before it (I1). */
export function toOwnName({ id, tool }: Entry, { sets }: Pick<Resolver, "sets">): string {
  const front = FRONTS.get(tool.source);
  return front !== undefined && namesOf(sets).has(id) ? `${front}:${tool.name}` : id;
}

/** Read once for one list of sets, however many tools are judged. */
const namesOf = remember((sets: Resolver["sets"]) => new Set(sets.flatMap(({ id, name }) => [id, name])));
