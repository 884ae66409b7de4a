import type { Catalog } from "../catalog/catalog.ts";
import type { Entry } from "../catalog/entry.ts";
import type { ResolvedList } from "../catalog/resolve-list.ts";
import { SEARCH_TOOL } from "../catalog/search-tool.ts";
import { formatOrigin } from "../codes/origin.ts";
import type { Notice } from "../codes/reason.ts";
import { ToolcribError } from "../codes/toolcrib-error.ts";
import { filterGate } from "../gates/filter.ts";
import type { GateName } from "../gates/gates.ts";
import type { ResolvedScene } from "../scene/resolved-scene.ts";
import { excludeName, includeName } from "../scene/scene.ts";
import type { Placement, TraceLine } from "./toolset.ts";

/** A filter that leaves no tool is a mistake, most likely because of names that match nothing (F4). */
export function checkFilter(catalog: Catalog, scene: ResolvedScene, judged: readonly (readonly TraceLine[])[]): void {
  const { filter, lists } = scene;
  const { include, exclude } = lists;
  if (filter.allowNoTools.value || (include === null && exclude.list.value.length === 0)) return;
  if (include !== null && include.list.value.length === 0) {
    const { origin } = include.list;
    // Programs and worlds can intend it; files and flags have no key for that.
    const ways = ["name at least one tool", "leave it out for all tools"];
    if (origin.kind === "call" || origin.kind === "world") ways.push("set allowNoTools: true");
    const text = `${includeName(filter)} is empty (${formatOrigin(origin)}); ${ways.slice(0, -1).join(", ")} or ${ways.at(-1)}`;
    throw new ToolcribError("filter.empty-include", text, { origin });
  }
  if (include !== null && include.pending.length > 0) return;
  // An exclude list leaves no built-in that is off; an include list may ask for one, and gets the reason.
  const counts = ({ off }: Entry): boolean => include !== null || !off;
  if (include === null && !catalog.entries.some(counts)) return;
  if (catalog.search.tool !== SEARCH_TOOL && filterGate.judge(catalog.search, scene).kind === "pass") return;
  if (catalog.entries.some((entry, at) => counts(entry) && !judged[at]?.some(({ gate }) => gate === "filter"))) return;
  const unknown = [...(include?.unknown ?? []), ...exclude.unknown];
  const hints = [...(include?.notices ?? []), ...exclude.notices]
    .filter(({ code }) => code === "filter.unknown-name")
    .map(({ text }) => text);
  const which =
    include === null
      ? `${excludeName(filter)} leaves`
      : exclude.list.value.length === 0
        ? `${includeName(filter)} leaves`
        : `${includeName(filter)} and ${excludeName(filter)} leave`;
  const { origin } = (include ?? exclude).list;
  const text = [`${which} no tool (${formatOrigin(origin)})`, ...hints.slice(0, 5)].join("; ");
  throw new ToolcribError("filter.no-tools", text, { names: unknown, origin });
}

const MAX_NOTICES = 20;
const MAX_NAMED = 20;

/** What the exclude list and deny rules remove, for observers of a session: a name that works gives no other sign. */
export function noticeRemovals({ filter, lists: { exclude, deny } }: ResolvedScene): readonly Notice[] {
  return [
    ...noticeWorking(exclude, "filter.disabled", `disabled by ${excludeName(filter)}`),
    ...noticeWorking(deny, "tool.denied", "denied by permissions.deny"),
  ];
}

function noticeWorking({ list, mentions }: ResolvedList, code: Notice["code"], by: string): readonly Notice[] {
  const working = new Set([...mentions.named.values()].flatMap(({ all }) => all.map((one) => one.by.value)));
  const names = [...new Set(list.value.map(({ value }) => value))].filter((name) => working.has(name));
  if (names.length === 0) return [];
  const shown = names.slice(0, MAX_NAMED).map((name) => JSON.stringify(name.slice(0, 100)));
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return [{ level: "info", code, text: `${by}: ${shown.join(", ")}${more}`, names, origin: list.origin }];
}

/** A list that asks for a tool which another gate hides is no typo; saying so saves a search (I3). */
export function noticeHiddenMentions(
  { filter, lists }: ResolvedScene,
  placements: readonly Placement[],
): readonly Notice[] {
  const asked = [
    { list: lists.include, label: includeName(filter), own: "filter" },
    { list: lists.agentTools, label: "the agent's tools", own: "agent" },
  ] as const satisfies readonly { list: unknown; label: string; own: GateName }[];
  const notices: Notice[] = [];
  for (const { list, label, own } of asked) {
    if (list === null) continue;
    for (const { entry, trace } of placements) {
      const mention = list.mentions.get(entry);
      if (mention?.explicit !== true || notices.length >= MAX_NOTICES) continue;
      const others = [
        ...new Set(
          trace
            .filter(({ gate, verdict }) => verdict === "hide" && gate !== own && gate !== "duplicate")
            .map(({ gate }) => gate),
        ),
      ];
      if (others.length === 0 || trace.some(({ gate }) => gate === own)) continue;
      notices.push({
        level: "info",
        code: "filter.not-in-scene",
        text: `${label} names "${mention.by.value}", which is hidden here by ${others.join(", ")}`,
        names: [mention.by.value],
        origin: mention.by.origin,
      });
    }
  }
  return notices;
}
