import type { Catalog } from "../catalog/catalog.ts";
import type { Entry } from "../catalog/entry.ts";
import { SEARCH_TOOL } from "../catalog/search-tool.ts";
import type { Origin } from "../codes/origin.ts";
import type { Notice, Reason } from "../codes/reason.ts";
import { type Client, settingFor } from "../scene/client.ts";
import type { ResolvedScene } from "../scene/resolved-scene.ts";
import { DEFAULT_CONTEXT_WINDOW, DEFAULT_MAX_TOOLS, DEFAULT_THRESHOLD } from "../scene/scene.ts";
import { DEFAULT_TOOL_SEARCH, type ToolSearch } from "../scene/scene-settings.ts";
import { factsOf } from "../tool/source-kinds.ts";
import { isServed } from "../tool/tool.ts";
import { findCodeReason, isFinderDenied } from "./code-use.ts";
import { livePromotions } from "./promotions.ts";
import { type Placement, type Standing, type TraceLine, toStanding } from "./toolset.ts";

interface Budgeted {
  readonly placements: readonly Placement[];
  readonly notices: readonly Notice[];
}

/** The set-level step after the gates: permitted tools become visible or deferred, and none is lost (D1 to D3, D5). */
export function placeWithinBudget(
  catalog: Catalog,
  scene: ResolvedScene,
  judged: readonly (readonly TraceLine[])[],
  judge: (entry: Entry) => readonly TraceLine[],
): Budgeted {
  const standings = judged.map(toStanding);
  const permitted = catalog.entries.filter((_, at) => standings[at] !== "hidden");
  const code = findCodeReason(catalog, scene, () => findPressure(permitted, scene));
  // Tools loaded by a search are for the payload; what code finds is for the code alone (K6).
  const promoted = code === null ? livePromotions(catalog, scene.promoted, permitted) : [];
  const denied = code === null && isFinderDenied(catalog.search, scene);
  const trigger = code ?? (denied ? null : findTrigger(permitted, scene));
  const deferred = new Deferred();
  const lines = trigger === null ? NO_LINES : toLines(trigger);
  for (const [at, entry] of catalog.entries.entries()) {
    if (standings[at] === "deferred") deferred.put(at, NO_LINES);
    else if (standings[at] === "visible" && trigger !== null && isDeferrable(entry, scene)) deferred.put(at, lines);
  }
  const spots = toSpots(promoted, catalog);
  const tail = promoted.filter((entry) => deferred.release(spots.get(entry) ?? NOWHERE));
  const ownSearch = placeSearch(catalog.search, false, judge);
  const overCap = fitCap({
    ...{ catalog, standings, permitted, deferred, spots, tail, promoted, denied, scene },
    finderShown: code !== null || ownSearch?.standing === "visible",
  });

  const appended = new Set(tail);
  const listed: Placement[] = [];
  for (const [at, entry] of catalog.entries.entries()) {
    if (appended.size > 0 && appended.has(entry)) continue;
    const trace = judged[at] ?? NO_LINES;
    const own = deferred.of(at);
    if (own === null) listed.push({ entry, standing: standings[at] ?? "hidden", trace });
    else listed.push({ entry, standing: "deferred", trace: trace.length === 0 ? own : [...trace, ...own] });
  }
  // It stays after the last deferred tool was loaded: what a model was sent only grows at its end (D8).
  const needed = code === null && isSearchNeeded(deferred.size + tail.length, scene) && !denied;
  const search = needed ? placeSearch(catalog.search, true, judge) : ownSearch;
  const finders = [search, code === null ? null : placeSearch(catalog.code, true, judge)];
  const loaded = tail.map((entry): Placement => ({ entry, standing: "visible", trace: NO_LINES }));
  return {
    placements: [...listed, ...finders.filter((one) => one !== null), ...loaded],
    notices: toNotices({ permitted, overCap, denied: denied && deferred.size > 0, scene }),
  };
}

const NO_LINES: readonly TraceLine[] = [];

const NOWHERE = -1;

/** Positions of some tools in the catalog. */
function toSpots(some: readonly Entry[], { entries }: Catalog): ReadonlyMap<Entry, number> {
  const spots = new Map(some.map((entry) => [entry, NOWHERE]));
  if (spots.size > 0) for (const [at, entry] of entries.entries()) if (spots.has(entry)) spots.set(entry, at);
  return spots;
}

/** Deferred tools by their position in the catalog, with the budget's own lines, which thousands share. */
class Deferred {
  readonly #lines: (readonly TraceLine[] | null)[] = [];
  size = 0;

  of(at: number): readonly TraceLine[] | null {
    return this.#lines[at] ?? null;
  }

  put(at: number, lines: readonly TraceLine[]): void {
    if (this.of(at) === null) this.size += 1;
    this.#lines[at] = lines;
  }

  /** Only what the budget alone deferred; says whether it was. */
  release(at: number): boolean {
    if ((this.of(at)?.length ?? 0) === 0) return false;
    this.#lines[at] = null;
    this.size -= 1;
    return true;
  }
}

function toLines(reason: Reason): readonly TraceLine[] {
  return [{ gate: "budget", verdict: "defer", reason }];
}

/** D2: by its source, unless the tool, its server or the agent says never. */
function isDeferrable({ tool }: Entry, { agent, servers }: ResolvedScene): boolean {
  if (factsOf(tool.source).deferrable !== true || tool.defer === "never" || agent?.defer.value === "never")
    return false;
  return !isServed(tool) || servers.get(tool.server ?? "")?.defer.value !== "never";
}

/** Why tools are deferred in this scene, or null (D1). */
function findTrigger(permitted: readonly Entry[], scene: ResolvedScene): Reason | null {
  const { value: search, origin } = scene.toolSearch;
  if (search.use === "off" || scene.model?.capabilities.get("toolSearch") === false) return null;
  if (search.use === "on") return { code: "budget.deferred", text: "toolSearch is on", origin, fix: NEVER_FIX };
  return findPressure(permitted, scene);
}

const NEVER_FIX = "set defer: never for it (in toolOverrides), or toolSearch: off";

/** Why the definitions are too many or too large, or null. */
function findPressure(permitted: readonly Entry[], scene: ResolvedScene): Reason | null {
  const { model } = scene;
  const { value, origin } = scene.toolSearch;
  const search = value.use === "auto" ? value : DEFAULT_TOOL_SEARCH;
  if (scene.client !== null) return findClientTrigger(permitted, scene, scene.client, search);
  const cap = model?.maxTools ?? DEFAULT_MAX_TOOLS;
  const window = model?.contextWindow ?? DEFAULT_CONTEXT_WINDOW;
  const threshold = search.threshold ?? DEFAULT_THRESHOLD;
  if (permitted.length > threshold)
    return {
      code: "budget.deferred",
      text: `${permitted.length} tools are permitted, more than ${threshold}`,
      origin,
      fix: `set defer: never for it (in toolOverrides), or toolSearch.threshold: ${permitted.length}`,
    };
  const tokens = deferrableTokens(permitted, scene);
  if (tokens > (window * search.percent) / 100)
    return {
      code: "budget.deferred",
      text: `definitions of about ${tokens} tokens pass ${search.percent} % of the model's window`,
      origin,
      fix: "set defer: never for it (in toolOverrides), or raise toolSearch.percent",
    };
  if (permitted.length > cap)
    return {
      code: "budget.deferred",
      text: `${permitted.length} tools are permitted, and the model takes ${cap}`,
      origin: model?.origin ?? origin,
      fix: NEVER_FIX,
    };
  return null;
}

/**
 * For a client only tokens count, and for one that searches itself nothing does. The number of tools matters only if
 * somebody configured it; the client's own cap handles what it cannot take.
 */
function findClientTrigger(
  permitted: readonly Entry[],
  scene: ResolvedScene,
  client: Client,
  { threshold, percent }: Extract<ToolSearch, { use: "auto" }>,
): Reason | null {
  if (client.ownSearch) return null;
  const { origin } = scene.toolSearch;
  const deferrable = permitted.filter((entry) => isDeferrable(entry, scene)).length;
  if (threshold !== null && deferrable > threshold)
    return {
      code: "budget.deferred",
      text: `${deferrable} tools are permitted, more than ${threshold}`,
      origin,
      fix: `set defer: never for it (in toolOverrides), or toolSearch.threshold: ${deferrable}`,
    };
  const tokens = deferrableTokens(permitted, scene);
  const window = scene.model?.contextWindow ?? DEFAULT_CONTEXT_WINDOW;
  if (tokens <= (window * percent) / 100) return null;
  const who = client.name === null ? "an unknown client" : JSON.stringify(client.name.slice(0, 60));
  return {
    code: "budget.deferred",
    text: `definitions of about ${tokens} tokens pass ${percent} % of ${window}, and ${who} is not known to search by itself`,
    origin: client.origin.kind === "default" ? origin : client.origin,
    fix: `set defer: never for it (in toolOverrides), raise toolSearch.percent, or set ${settingFor(client)}.ownSearch: true if it does`,
  };
}

function deferrableTokens(permitted: readonly Entry[], scene: ResolvedScene): number {
  let tokens = 0;
  for (const entry of permitted) if (isDeferrable(entry, scene)) tokens += entry.tokens;
  return tokens;
}

/** How many tools can be sent, who says so, and what to do about it. */
interface Cap {
  readonly most: number;
  readonly who: string;
  readonly origin: Origin;
  readonly fix: string;
}

/** For a client only its own limit counts: its model is unknown. */
function capOf({ client, model, toolSearch }: ResolvedScene): Cap {
  if (client !== null)
    return {
      most: client.maxTools ?? Number.POSITIVE_INFINITY,
      who: client.name === null ? "the client" : JSON.stringify(client.name.slice(0, 60)),
      origin: client.origin,
      fix: `exclude other tools, or set ${settingFor(client)}.maxTools if it takes more`,
    };
  return {
    most: model?.maxTools ?? DEFAULT_MAX_TOOLS,
    who: "the model",
    origin: model?.origin ?? toolSearch.origin,
    fix: "exclude other tools, or choose a model that takes more",
  };
}

interface CapInput {
  readonly catalog: Catalog;
  /** What the gates alone say, in the order of the catalog. */
  readonly standings: readonly Standing[];
  readonly permitted: readonly Entry[];
  readonly deferred: Deferred;
  /** Of promoted tools. */
  readonly spots: ReadonlyMap<Entry, number>;
  readonly tail: Entry[];
  readonly promoted: readonly Entry[];
  readonly denied: boolean;
  readonly scene: ResolvedScene;
  /** `run_code` is sent, or `tool_search` although nothing is deferred, because the host lists it. */
  readonly finderShown: boolean;
}

/**
 * Defers what the model cannot take, last in catalog order first, whatever `defer` says. Promoted tools stay until
 * nothing else is left, then the oldest go first (D3). Returns how many were deferred.
 */
function fitCap(input: CapInput): number {
  const { catalog, standings, permitted, deferred, spots, tail, promoted, denied, finderShown, scene } = input;
  const { most: cap, who, origin, fix } = capOf(scene);
  const visible = permitted.length - deferred.size;
  const searches = finderShown || (isSearchNeeded(deferred.size + tail.length, scene) && !denied);
  if (visible + (searches ? 1 : 0) <= cap) return 0;
  const limit = Math.max(0, denied ? cap : cap - 1);
  const lines = toLines({ code: "budget.over-cap", text: `${who} takes ${cap} tools`, origin, fix });
  const rescued = new Set(promoted);
  const appended = new Set(tail);
  let left = visible - limit;
  for (let at = standings.length - 1; at >= 0 && left > 0; at--) {
    const entry = catalog.entries[at];
    if (entry === undefined || standings[at] === "hidden" || deferred.of(at) !== null || appended.has(entry)) continue;
    if (rescued.has(entry)) appended.add(entry);
    else {
      deferred.put(at, lines);
      left -= 1;
    }
  }
  const kept = promoted.filter((entry) => appended.has(entry));
  for (const entry of kept.splice(0, left)) deferred.put(spots.get(entry) ?? NOWHERE, lines);
  tail.splice(0, tail.length, ...kept);
  return visible - limit;
}

/** Also if a client was not shown some new tools: nothing else would lead it to them. */
function isSearchNeeded(behind: number, { client }: ResolvedScene): boolean {
  return behind > 0 || client?.late === true;
}

/** Added while something is deferred, or was before a search loaded it; a host's own `tool_search` is always there. */
function placeSearch(search: Entry, needed: boolean, judge: (entry: Entry) => readonly TraceLine[]): Placement | null {
  if (needed) return { entry: search, standing: "visible", trace: [] };
  if (search.tool === SEARCH_TOOL) return null;
  const trace = judge(search);
  return { entry: search, standing: toStanding(trace), trace };
}

function toNotices({
  permitted,
  overCap,
  denied,
  scene,
}: {
  permitted: readonly Entry[];
  overCap: number;
  denied: boolean;
  scene: ResolvedScene;
}): readonly Notice[] {
  const notices: Notice[] = [];
  const { lists, filter } = scene;
  const { most, who, origin } = capOf(scene);
  if (overCap > 0) {
    const text = `${permitted.length} tools are permitted and ${who} takes ${most}; ${overCap} of them are deferred`;
    notices.push({ level: "warning", code: "toolset.over-cap", text, names: [], origin });
  }
  if (denied) {
    const by = [lists.deny, lists.deniedTools, lists.disallowed].flatMap(({ list }) => list.value)[0]?.origin ?? origin;
    notices.push({
      level: "warning",
      code: "search.denied",
      text: "tool_search is denied, so the deferred tools cannot be found",
      names: ["tool_search"],
      origin: by,
    });
  }
  if (permitted.length === 0 && !filter.allowNoTools.value) {
    notices.push({
      level: "warning",
      code: "toolset.empty",
      text: "no tool is left for this run",
      names: [],
      origin: filter.allowNoTools.origin,
    });
  }
  return notices;
}
