import type { Entry } from "../../core/catalog/entry.ts";
import { parseQuery } from "../../core/search/parse-query.ts";
import type { MissingSource, SearchCursor } from "../../core/search/search-answer.ts";
import type { SearchIndex } from "../../core/search/search-index.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { CONNECTED, type Source } from "../../sources/source.ts";
import type { SearchUsage } from "./search-usage.ts";
import type { SearchVectors } from "./search-vectors.ts";

export interface SearchSourceOptions {
  readonly toolset: () => Toolset;
  /** All other sources, to say whose tools are missing. */
  readonly sources: () => readonly Source[];
  readonly usage: SearchUsage;
  readonly vectors: SearchVectors;
  /** A search found tools that are loaded from the next request on (D5). */
  readonly onLoaded: (toolset: Toolset, found: readonly Entry[]) => void;
}

/** Runs `tool_search` on whatever the session may see now. It belongs to no list: the catalog adds the tool itself (C1). */
export function createSearchSource({ toolset, sources, usage, vectors, onLoaded }: SearchSourceOptions): Source {
  let index: SearchIndex<Entry> | null = null;
  let cursor: SearchCursor | null = null;

  return {
    kind: "builtin",
    name: "search",
    status: CONNECTED,
    list: async () => [],
    async run(_tool, args, { signal }) {
      const [{ SearchIndex }, { searchTools }, { syncIndex, viewToolset }, { findBehind }, { shippedRequests }] =
        await Promise.all([
          import("../../core/search/search-index.ts"),
          import("../../core/search/search-tools.ts"),
          import("../../core/search/toolset-view.ts"),
          import("../../core/toolset/loadable.ts"),
          import("../../system/shipped-requests.ts"),
        ]);
      index ??= new SearchIndex<Entry>();
      const query = typeof args.query === "string" ? args.query : "";
      const task = typeof args.task === "string" ? args.task : null;
      const remembered = await usage.hints(index, () => toolset().catalog.entries);
      const searchable = viewToolset(toolset()).searchable.map(({ entry }) => entry);
      const isWords = parseQuery(query).kind === "words";
      const words = !isWords ? "" : task === null ? query : `${query}. ${task}`;
      const similar = await vectors.similar(words, searchable, signal);
      // Nothing is awaited from here on: two searches at once must not load tools over each other.
      const current = toolset();
      syncIndex(index, current.catalog, shippedRequests());
      const request = {
        query,
        limit: typeof args.limit === "number" ? args.limit : null,
        server: typeof args.server === "string" ? args.server : null,
        task,
        more: args.more === true,
        cursor,
      };
      const answer = searchTools(index, current, request, {
        missing: findMissing(sources()),
        hints: (text) => ({ ...remembered(text), similar }),
      });
      cursor = answer.cursor;
      const { deferred, loaded } = findBehind(current);
      const behind = new Set([...deferred, ...loaded]);
      const found = answer.hits.filter((hit) => behind.has(hit)).map(({ entry }) => entry);
      if (found.length > 0) onLoaded(current, found);
      if (answer.words !== null) usage.searched(answer.words, found);
      return {
        textResultForLlm: answer.text,
        resultType: "success",
        // What providers that load tools themselves are told to load (D7).
        ...(found.length === 0 ? {} : { structured: { loaded: found.map(({ wireName }) => wireName) } }),
      };
    },
    changes: () => () => {},
    close: async () => {},
  };
}

function findMissing(sources: readonly Source[]): readonly MissingSource[] {
  return sources.flatMap(({ name, status: { state, reason } }) =>
    state === "starting" || state === "failed" ? [{ name, state, reason }] : [],
  );
}
