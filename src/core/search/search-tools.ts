import type { Entry } from "../catalog/entry.ts";
import { nearestNames } from "../codes/nearest-name.ts";
import { promote } from "../toolset/promotions.ts";
import type { Placement, Toolset } from "../toolset/toolset.ts";
import { describeAnswer } from "./describe-answer.ts";
import { matchRegex } from "./match-regex.ts";
import { type ParsedQuery, parseQuery } from "./parse-query.ts";
import { type Hints, rankWords } from "./rank-words.ts";
import type { MissingSource, SearchAnswer, SearchCursor } from "./search-answer.ts";
import type { SearchIndex } from "./search-index.ts";
import { type SearchedToolset, toMask, viewToolset } from "./toolset-view.ts";

/** What a model sends to `tool_search`. */
export interface SearchRequest {
  readonly query: string;
  readonly limit?: number | null;
  /** Only tools of this server. */
  readonly server?: string | null;
  /** What the tools are for, in addition to the query. */
  readonly task?: string | null;
  /** The next page of the search that gave `cursor`. */
  readonly more?: boolean;
  readonly cursor?: SearchCursor | null;
}

/** Optional context of a search. */
export interface SearchContext {
  readonly hints?: (query: string) => Hints<Entry>;
  readonly missing?: readonly MissingSource[];
}

const DEFAULT_LIMIT = 5;
export const MAX_LIMIT = 20;

/**
 * `tool_search`: finds permitted tools that are not loaded, and returns the resulting promotions. The index must be in
 * sync with the toolset's catalog (`syncIndex`). Hidden tools are neither found nor named.
 */
export function searchTools(
  index: SearchIndex<Entry>,
  toolset: Toolset,
  request: SearchRequest,
  context: SearchContext = {},
): SearchAnswer {
  const asked = toQuestion(request);
  const view = viewToolset(toolset);
  const parsed = parseQuery(asked.query);
  const matched = narrow(view, asked.server);
  const found =
    matched.length === 0 && asked.server !== null
      ? { ...NONE, problem: `no tool of a server ${JSON.stringify(asked.server)} can be searched` }
      : findMatches(index, view, matched, parsed, asked, context);
  const all = found.matches;
  // Exact names are all returned, however many (D4).
  const limit = parsed.kind === "select" ? all.length : toLimit(request.limit);
  const hits = all.slice(asked.offset, asked.offset + limit);
  const next = asked.offset + limit;
  const nearest = hits.length > 0 && found.unknown.length === 0 ? [] : findNearest(view, parsed, found.unknown);
  const answer = {
    hits,
    total: all.length,
    cursor: next < all.length ? { ...asked, offset: next } : null,
    promoted: promote(
      toolset.scene.promoted,
      toolset.catalog,
      hits.flatMap(({ entry, standing }) => (standing === "deferred" ? [entry] : [])),
    ),
    unknown: found.unknown,
    nearest,
    problem: found.problem,
    words: parsed.kind === "words" ? toWords(parsed.text, asked.task) : null,
    complete: found.complete,
    missing: context.missing ?? [],
  };
  return { ...answer, text: describeAnswer(answer) };
}

/** A new query, or the previous one from where its last page ended. */
function toQuestion({ query, server, task, more, cursor }: SearchRequest): SearchCursor {
  const isSame = cursor?.query === query || query.trim() === "";
  if (more === true && cursor && isSame) return cursor;
  return { query, server: server?.trim() || null, task: task?.trim() || null, offset: 0 };
}

function toLimit(limit: number | null | undefined): number {
  if (limit === null || limit === undefined || !Number.isFinite(limit)) return DEFAULT_LIMIT;
  return Math.min(MAX_LIMIT, Math.max(1, Math.trunc(limit)));
}

interface Matches {
  readonly matches: readonly Placement[];
  readonly unknown: readonly string[];
  readonly problem: string | null;
  readonly complete: boolean;
}

const NONE: Matches = { matches: [], unknown: [], problem: null, complete: true };

function narrow({ searchable }: SearchedToolset, server: string | null): readonly Placement[] {
  if (server === null) return searchable;
  const folded = server.toLowerCase();
  return searchable.filter(({ entry }) => entry.tool.server?.toLowerCase() === folded);
}

function findMatches(
  index: SearchIndex<Entry>,
  view: SearchedToolset,
  pool: readonly Placement[],
  parsed: ParsedQuery,
  { task }: SearchCursor,
  { hints }: SearchContext,
): Matches {
  switch (parsed.kind) {
    case "select":
      return select(view, parsed.names);
    case "regex": {
      const tools = pool.map((placement) => ({ ...toPatternText(placement), placement }));
      const matched = matchRegex(parsed.pattern, tools);
      if (!matched.ok) return { ...NONE, problem: `the pattern does not work: ${matched.text}` };
      return { ...NONE, matches: matched.found.map(({ placement }) => placement), complete: matched.complete };
    }
    case "words": {
      const text = toWords(parsed.text, task);
      if (!/[\p{L}\p{N}]/u.test(text)) return { ...NONE, problem: "the query holds no word" };
      const fits = pool.filter(({ entry }) =>
        parsed.required.every((word) => entry.wireName.toLowerCase().includes(word)),
      );
      const ranked = rankWords(index, text, toMask(index, fits), hints?.(text));
      const byEntry = new Map(fits.map((placement) => [placement.entry, placement]));
      const exact = exactNames(view, parsed.text).filter(({ entry }) => byEntry.has(entry) || isLoaded(view, entry));
      const rest = ranked.flatMap(({ slot }) => {
        const key = index.slots[slot]?.key;
        const placement = key === undefined ? undefined : byEntry.get(key);
        return placement === undefined || exact.includes(placement) ? [] : [placement];
      });
      // Required words alone are a search by name: tools that no ranking found count as well.
      const ranks = new Set([...exact, ...behindReplacements(rest)]);
      const unranked = parsed.required.length === 0 ? [] : fits.filter((placement) => !ranks.has(placement));
      return { ...NONE, matches: [...ranks, ...unranked] };
    }
  }
}

const DEPRECATED = /\bDEPRECATED\b|^\W*[Dd]eprecated\b|[[(][Dd]eprecated[\])]/;

/** A tool that calls itself deprecated comes after the tools of its server that it names instead. */
function behindReplacements(ranked: readonly Placement[]): readonly Placement[] {
  const order = [...ranked];
  for (const placement of ranked) {
    const { server, name, description } = placement.entry.tool;
    if (!DEPRECATED.test(description)) continue;
    const words = new Set(description.match(/[\w-]+/g));
    const isNamed = ({ entry: { tool } }: Placement) =>
      tool.server === server && tool.name !== name && words.has(tool.name);
    const last = order.findLastIndex(isNamed);
    const own = order.indexOf(placement);
    if (last > own) order.splice(last, 0, ...order.splice(own, 1));
  }
  return order;
}

function toWords(text: string, task: string | null): string {
  return task === null ? text : `${text}. ${task}`;
}

function toPatternText({ entry }: Placement): { readonly name: string; readonly description: string } {
  return { name: entry.wireName, description: entry.tool.description };
}

function isLoaded({ searchable }: SearchedToolset, entry: Entry): boolean {
  return !searchable.some((placement) => placement.entry === entry);
}

function select({ byName, byFoldedName }: SearchedToolset, names: readonly string[]): Matches {
  const matches = new Set<Placement>();
  const unknown: string[] = [];
  for (const name of names) {
    const placement = byName.get(name) ?? byFoldedName.get(name.toLowerCase());
    if (placement === undefined) unknown.push(name);
    else matches.add(placement);
  }
  return { ...NONE, matches: [...matches], unknown, problem: names.length === 0 ? "select: names no tool" : null };
}

/** The query as one name, and those of its words that can only be names. */
function exactNames({ byName, byFoldedName }: SearchedToolset, text: string): readonly Placement[] {
  const whole = byName.get(text.trim()) ?? byFoldedName.get(text.trim().toLowerCase());
  const named = text.split(/[\s,;"'`]+/).flatMap((word) => (/[_/]/.test(word) ? (byName.get(word) ?? []) : []));
  return [...new Set([...(whole === undefined ? [] : [whole]), ...named])];
}

/** Only a single word can be a mistyped name. */
function findNearest(view: SearchedToolset, parsed: ParsedQuery, unknown: readonly string[]): readonly string[] {
  const meant =
    parsed.kind === "select" ? unknown : parsed.kind === "words" && !/\s/.test(parsed.text) ? [parsed.text] : [];
  const names = [...view.byName.keys()];
  const near = meant.slice(0, 8).flatMap((name) => nearestNames(name, names));
  return [...new Set(near.flatMap((name) => view.byName.get(name)?.entry.wireName ?? []))].slice(0, 8);
}
