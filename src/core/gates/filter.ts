import type { Entry } from "../catalog/entry.ts";
import { formatOrigin } from "../codes/origin.ts";
import type { Reason } from "../codes/reason.ts";
import type { ResolvedScene } from "../scene/resolved-scene.ts";
import type { ResolvedLimit } from "../scene/scene-lists.ts";
import { type Gate, hide, hideFor, pass, type Verdict } from "./gate.ts";

/** Include first, then exclude; a tool's own name beats a set or pattern, and an explicit exclude beats all (F1 to F3). */
export const filterGate: Gate = {
  name: "filter",
  judge(entry, scene) {
    const limits = scene.lists.limits.flatMap((limit) => judgeLimit(entry, limit));
    const verdict = judgeFilter(entry, scene);
    if (limits.length === 0) return verdict;
    return hideFor([...(verdict.kind === "hide" ? verdict.reasons : []), ...limits]);
  },
};

function judgeFilter(entry: Entry, scene: ResolvedScene): Verdict {
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
}

/** A limit holds on its own: naming a tool in it lifts no other list, and no other list lifts the limit. */
function judgeLimit(entry: Entry, { whose, include, exclude }: ResolvedLimit): readonly Reason[] {
  const reasons: Reason[] = [];
  if (include !== null && !include.mentions.has(entry)) {
    const { origin } = include.list;
    const fix = `add "${entry.id}" to ${whose} include list (${formatOrigin(origin)})`;
    reasons.push({ code: "filter.limited", text: `not in ${whose} include list`, origin, fix });
  }
  const excluded = exclude.mentions.get(entry);
  if (excluded !== undefined) {
    const { value, origin } = excluded.by;
    const fix = `remove "${value}" from ${whose} exclude list (${formatOrigin(origin)})`;
    reasons.push({ code: "filter.limited", text: `excluded by "${value}" in ${whose} exclude list`, origin, fix });
  }
  return reasons;
}

/** With `filterPrecedence: "include"` an include list makes the exclude list idle. */
function findExclusion(entry: Entry, { filter, lists }: ResolvedScene) {
  if (filter.precedence.value === "include" && lists.include !== null) return undefined;
  return lists.exclude.mentions.get(entry);
}
