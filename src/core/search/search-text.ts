import { CODE_TOOL } from "../catalog/code-tool.ts";
import type { Entry } from "../catalog/entry.ts";
import { SEARCH_NAME, SEARCH_TOOL } from "../catalog/search-tool.ts";
import { toFunctions } from "../code/functions.ts";
import { remember } from "../shape/remember.ts";
import { isCodeUsed } from "../toolset/code-use.ts";
import { listBehind } from "../toolset/loadable.ts";
import type { Toolset } from "../toolset/toolset.ts";
import { splitWords } from "./split-words.ts";

/** Words in names that describe an action and not its object. */
const ACTIONS = new Set(
  (
    "get list create update delete add remove set search find fetch read write query run execute call send make show check " +
    "start stop open close put post patch edit new by and tool tools mcp api data info item items name id all use manage view"
  ).split(" "),
);
const THEMES_PER_SERVER = 4;
const MAX_WORD = 24;
/** Limit of the server list. Servers beyond it lose their themes, then move to the list of names in the prompt. */
const MAX_CHARACTERS = 1_600;

/**
 * The description of `tool_search` or `run_code`: which servers they reach and what these are about, because models
 * rarely call a search that could hold anything. A server's themes are chosen when it appears and stay while each still
 * names one of its tools, so the text hardly changes unless the set of servers does.
 */
export function createSearchText(): (toolset: Toolset) => string {
  const chosen = new Map<string, readonly string[]>();
  const told = new WeakMap<Toolset, string>();
  return (toolset) => {
    const known = told.get(toolset);
    if (known !== undefined) return known;
    const words = countByServer(toolset);
    for (const place of chosen.keys()) if (!words.has(place)) chosen.delete(place);
    for (const [place, counts] of words) {
      const kept = chosen.get(place);
      if (kept?.every((word) => counts.has(word)) !== true) chosen.set(place, chooseThemes(place, counts));
    }
    const { code, search } = toolset.catalog;
    const listed = listPlaces(words.keys(), chosen);
    const text = isCodeUsed(toolset)
      ? [code.tool.description, ...listed.map((line) => `The servers: ${line}`)].join("\n")
      : [search.tool.description, ...listed.map((line) => `Behind it: ${line}`)].join(" ");
    told.set(toolset, text);
    return text;
  };
}

/** A tool's description in one toolset. A host's own search tool keeps its description, like all others. */
export function toToolText(toolset: Toolset, { tool }: Entry): string {
  return tool === SEARCH_TOOL || tool === CODE_TOOL
    ? (toolset.searchText?.(toolset) ?? textAlone(toolset))
    : tool.description;
}

/** For a toolset that belongs to no session. */
const textAlone = remember((toolset: Toolset) => createSearchText()(toolset));

/** For each server or kind of source, how many tool names contain a word. Hidden tools are not counted. */
function countByServer(toolset: Toolset): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const places = new Map<string, Map<string, number>>();
  const functions = isCodeUsed(toolset) ? toFunctions(toolset) : null;
  for (const placement of listBehind(toolset)) {
    const { entry } = placement;
    if (entry.wireName === SEARCH_NAME) continue;
    const place = functions?.of(placement)?.server ?? entry.tool.server ?? entry.tool.source;
    const counts = places.get(place) ?? new Map<string, number>();
    places.set(place, counts);
    for (const word of new Set(splitWords(entry.tool.name, 16).flatMap(({ plain, whole }) => (whole ? [] : [plain]))))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return new Map([...places].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function chooseThemes(place: string, counts: ReadonlyMap<string, number>): readonly string[] {
  const own = new Set(splitWords(place, 16).map(({ term }) => term));
  const terms = new Set<string>();
  return [...counts]
    .filter(([word]) => word.length > 2 && word.length <= MAX_WORD && !ACTIONS.has(word))
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .filter(([word]) => {
      const [term] = splitWords(word, 1).map((one) => one.term);
      if (term === undefined || own.has(term) || terms.has(term)) return false;
      terms.add(term);
      return true;
    })
    .slice(0, THEMES_PER_SERVER)
    .map(([word]) => word);
}

function listPlaces(places: Iterable<string>, themes: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const all = [...places];
  if (all.length === 0) return [];
  const named = all.map((place) => {
    const words = themes.get(place) ?? [];
    return words.length === 0 ? place : `${place} (${words.join(", ")})`;
  });
  const lines = named.join("; ").length <= MAX_CHARACTERS ? named : all;
  let length = 0;
  const shown = lines.filter((line) => {
    length += line.length + 2;
    return length <= MAX_CHARACTERS;
  });
  const rest = lines.length - shown.length;
  return [`${shown.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}.`];
}
