import { rankWords } from "../../core/search/rank-words.ts";
import type { RequestBook } from "../../core/search/request-book.ts";
import { SearchIndex } from "../../core/search/search-index.ts";
import type { ToolText } from "../../core/search/tool-text.ts";
import { type EvalLine, readJsonLines, stringIn, toStrings } from "./read-lines.ts";
import { type LabelledQuery, RECALL_DEPTHS, scoreQuery } from "./search-metrics.ts";

export interface SearchEvaluation {
  /** The paths of the files, and their names in messages. */
  readonly catalog: { readonly path: string; readonly shown: string };
  readonly queries: { readonly path: string; readonly shown: string };
  readonly limit: number;
  /** Example requests for well-known tools; null if only the tools' own words count. */
  readonly book: RequestBook | null;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  readonly onResult: (id: string, results: readonly string[]) => void;
}

export type SearchSummary = Readonly<Record<string, number>>;

const DEPTH = 10;

/** Ranks the tools of a catalog for every query, without usage memory, and returns how well that went. */
export function evalSearch({ catalog, queries, limit, book, now, onResult }: SearchEvaluation): SearchSummary {
  const tools = readJsonLines(catalog.path, catalog.shown).map(toToolText);
  const labelled = readJsonLines(queries.path, queries.shown).map(toQuery);
  const begun = now();
  const index = new SearchIndex<ToolText>();
  const asked = book?.match(tools);
  for (const tool of tools) index.add(tool, { ...tool, examples: asked?.get(tool) ?? [] });
  const indexMs = now() - begun;
  const allowed = new Uint8Array(index.slots.length).fill(1);
  const times: number[] = [];
  const scores = labelled.map(({ id, query, groups }) => {
    const start = now();
    const ranked = rankWords(index, query, allowed);
    times.push(now() - start);
    const names = ranked.slice(0, Math.max(limit, DEPTH)).flatMap(({ slot }) => index.slots[slot]?.name ?? []);
    onResult(id, names.slice(0, limit));
    return scoreQuery(names, groups);
  });
  times.sort((a, b) => a - b);
  return {
    queries: scores.length,
    ...Object.fromEntries(
      RECALL_DEPTHS.map((depth) => [`recall@${depth}`, mean(scores.map(({ recall }) => recall.get(depth) ?? 0))]),
    ),
    "ndcg@10": mean(scores.map(({ ndcg }) => ndcg)),
    mrr: mean(scores.map(({ reciprocalRank }) => reciprocalRank)),
    p50Ms: round(times[Math.floor(times.length * 0.5)] ?? 0),
    p95Ms: round(times[Math.floor(times.length * 0.95)] ?? 0),
    indexMs: round(indexMs),
  };
}

function toToolText(line: EvalLine): ToolText {
  return {
    name: stringIn(line, "name"),
    description: stringIn(line, "description", ""),
    server: stringIn(line, "server", ""),
    inputSchema: Reflect.get(line.value, "inputSchema") ?? null,
  };
}

function toQuery(line: EvalLine): LabelledQuery {
  const groups: unknown = Reflect.get(line.value, "goldGroups") ?? null;
  return {
    id: stringIn(line, "id"),
    query: stringIn(line, "query"),
    groups: Array.isArray(groups)
      ? groups.map((group: unknown) => toStrings(group, line.where, "goldGroups"))
      : toStrings(Reflect.get(line.value, "gold"), line.where, "gold").map((name) => [name]),
  };
}

function mean(numbers: readonly number[]): number {
  return round(numbers.reduce((sum, value) => sum + value, 0) / Math.max(1, numbers.length));
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
