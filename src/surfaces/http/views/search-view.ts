import type { Entry } from "../../../core/catalog/entry.ts";
import { parseQuery } from "../../../core/search/parse-query.ts";
import { rankWords } from "../../../core/search/rank-words.ts";
import { SearchIndex } from "../../../core/search/search-index.ts";
import { searchTools } from "../../../core/search/search-tools.ts";
import { syncIndex, toMask, viewToolset } from "../../../core/search/toolset-view.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { toMissing, toSearchDocument } from "../../../runtime/report/search-document.ts";
import { toNoticeRow } from "../../../runtime/report/toolset-rows.ts";
import { shippedRequests } from "../../../system/shipped-requests.ts";
import { revealText } from "../../../system/text/reveal-text.ts";
import type { WrittenRequests } from "../../../system/written-requests.ts";
import type { SearchView } from "../api/api.ts";
import type { AnsweredScene } from "./scene-query.ts";

/** Like `search --json`, with scores. Reuses its index, most of which stays the same between questions. */
export function createSearchView(
  written: () => Promise<WrittenRequests> = async () => new Map(),
): (scene: AnsweredScene, query: string, limit: number | null) => Promise<SearchView> {
  const index = new SearchIndex<Entry>();
  return async ({ toolset, sources, notices }, query, limit) => {
    const requests = await written();
    syncIndex(index, toolset.catalog, shippedRequests(), requests);
    const answer = searchTools(index, toolset, { query, limit }, { missing: toMissing(sources) });
    const scores = scoresOf(index, toolset, query);
    const document = toSearchDocument(query, answer);
    const tools = document.tools.map((tool, at) => {
      const entry = answer.hits[at]?.entry;
      const score = entry === undefined ? undefined : scores.get(entry);
      const shown = revealText(entry?.identity ?? tool.name);
      return { ...tool, shown, description: revealText(tool.description), score: score ?? null };
    });
    return { ...document, tools, notices: notices.map(toNoticeRow) };
  };
}

/** Names and patterns match or not; only words make one tool fit better than another. */
function scoresOf(index: SearchIndex<Entry>, toolset: Toolset, query: string): ReadonlyMap<Entry, number> {
  const parsed = parseQuery(query);
  if (parsed.kind !== "words" || !/[\p{L}\p{N}]/u.test(parsed.text)) return new Map();
  const ranked = rankWords(index, parsed.text, toMask(index, viewToolset(toolset).searchable));
  return new Map(
    ranked.flatMap(({ slot, score }) => {
      const entry = index.slots[slot]?.key;
      return entry === undefined ? [] : [[entry, Math.round(score * 1000) / 1000] as const];
    }),
  );
}
