import type { Entry } from "../catalog/entry.ts";
import { formatOrigin } from "../codes/origin.ts";
import type { ResolvedScene } from "../scene/resolved-scene.ts";
import { type Gate, hide, pass } from "./gate.ts";

/** Include first, then exclude; a tool's own name beats a set or pattern, and an explicit exclude beats all (F1 to F3). */
export const filterGate: Gate = {
  name: "filter",
  judge(entry, scene) {
    const { include } = scene.lists;
    const included = include?.mentions.get(entry);
    if (include !== null && included === undefined) {
      const { origin } = include.list;
      return hide({
        code: "filter.not-included",
        text: "not in includeTools",
        origin,
        fix: `add "${entry.id}" to includeTools (${formatOrigin(origin)})`,
      });
    }
    const excluded = findExclusion(entry, scene);
    if (excluded === undefined || (!excluded.explicit && included?.explicit === true)) return pass;
    const { value, origin } = excluded.by;
    const rescue = excluded.explicit || include !== null ? "" : ` or name "${entry.id}" in includeTools`;
    return hide({
      code: "filter.excluded",
      text: `excluded by "${value}"`,
      origin,
      fix: `remove "${value}" from excludeTools (${formatOrigin(origin)})${rescue}`,
    });
  },
};

/** With `filterPrecedence: "include"` an include list makes the exclude list idle. */
function findExclusion(entry: Entry, { filter, lists }: ResolvedScene) {
  if (filter.precedence.value === "include" && lists.include !== null) return undefined;
  return lists.exclude.mentions.get(entry);
}
