import type { Entry } from "../catalog/entry.ts";
import type { Mention } from "../catalog/resolve-list.ts";
import { formatOrigin } from "../codes/origin.ts";
import type { Reason } from "../codes/reason.ts";
import type { ResolvedScene } from "../scene/resolved-scene.ts";
import { excludeName, includeName } from "../scene/scene.ts";
import type { ResolvedLimit } from "../scene/scene-lists.ts";
import { type AnyGate, hide, hideFor, pass, type Verdict } from "./gate.ts";
import { isSupport } from "./mode.ts";
import { toOwnName } from "./own-name.ts";

/** Include first, then exclude; a tool's own name beats a set or pattern, and an explicit exclude beats all (F1 to F3). */
export const filterGate = {
  name: "filter",
  judge(entry, scene) {
    const verdict = judgeFilter(entry, scene);
    if (scene.lists.limits.length === 0) return verdict;
    const limits = scene.lists.limits.flatMap((limit) => judgeLimit(entry, limit, scene));
    if (limits.length === 0) return verdict;
    return hideFor([...(verdict.kind === "hide" ? verdict.reasons : []), ...limits]);
  },
} as const satisfies AnyGate;

function judgeFilter(entry: Entry, scene: ResolvedScene): Verdict {
  const { include } = scene.lists;
  const included = include?.mentions.get(entry);
  if (include !== null && included === undefined) {
    const { origin } = include.list;
    return hide({
      code: "filter.not-included",
      text: `not in ${includeName(scene.filter)}`,
      origin,
      fix: `add "${toOwnName(entry, scene.resolver)}" to ${includeName(scene.filter)} (${formatOrigin(origin)})`,
    });
  }
  const excluded = findExclusions(entry, scene);
  if (excluded.length === 0) return pass;
  // A pattern removes only tools that nobody included by name (F2).
  const counting = excluded.filter(({ explicit }) => explicit || included?.explicit !== true);
  return hideFor(
    counting.map(({ explicit, by: { value, origin } }) => ({
      code: "filter.excluded",
      text: `excluded by "${value}"`,
      origin,
      fix: `remove "${value}" from ${excludeName(scene.filter)} (${formatOrigin(origin)})${explicit ? "" : rescue(toOwnName(entry, scene.resolver), scene)}`,
    })),
  );
}

/** Suggested only if the list exists: the first name of a new include list would remove every other tool. */
function rescue(name: string, { filter, lists: { include } }: ResolvedScene): string {
  return include === null ? "" : ` or name "${name}" in ${includeName(filter)} (${formatOrigin(include.list.origin)})`;
}

/** A limit applies on its own: naming a tool in it overrides no other list, and no other list overrides it. */
function judgeLimit(
  entry: Entry,
  { whose, because, fix: change, include, exclude, keepsSupport }: ResolvedLimit,
  scene: ResolvedScene,
): readonly Reason[] {
  const { resolver } = scene;
  const why = because === null ? "" : `; ${because}`;
  const reasons: Reason[] = [];
  if (include !== null && !include.mentions.has(entry) && !(keepsSupport && isSupport(entry, scene))) {
    const { origin } = include.list;
    const fix = change ?? `add "${toOwnName(entry, resolver)}" to ${whose} include list (${formatOrigin(origin)})`;
    reasons.push({ code: "filter.limited", text: `not in ${whose} include list${why}`, origin, fix });
  }
  for (const { by } of exclude.mentions.each(entry)) {
    const { value, origin } = by;
    const fix = `remove "${value}" from ${whose} exclude list (${formatOrigin(origin)})`;
    reasons.push({
      code: "filter.limited",
      text: `excluded by "${value}" in ${whose} exclude list${why}`,
      origin,
      fix,
    });
  }
  return reasons;
}

/** With `filterPrecedence: "include"`, an include list disables the exclude list. */
function findExclusions(entry: Entry, { filter, lists }: ResolvedScene): readonly Mention[] {
  if (filter.precedence.value === "include" && lists.include !== null) return [];
  return lists.exclude.mentions.each(entry);
}
