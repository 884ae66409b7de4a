import type { Entry } from "../../core/catalog/entry.ts";
import type { Promotions } from "../../core/scene/scene.ts";
import type { SearchIndex } from "../../core/search/search-index.ts";
import type { MissingSource, SearchCursor } from "../../core/search/search-tools.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { CONNECTED, type Source } from "../../sources/source.ts";

export interface SearchSourceOptions {
  readonly toolset: () => Toolset;
  /** All other sources, to say whose tools are missing. */
  readonly sources: () => readonly Source[];
  /** A search loaded tools; they are shown from the next request on (D5). */
  readonly onPromoted: (promoted: Promotions) => void;
}

/** Runs `tool_search` on whatever the session may see now. It belongs to no list: the catalog adds the tool itself (C1). */
export function createSearchSource({ toolset, sources, onPromoted }: SearchSourceOptions): Source {
  let index: SearchIndex<Entry> | null = null;
  let cursor: SearchCursor | null = null;

  return {
    kind: "builtin",
    name: "search",
    status: CONNECTED,
    list: async () => [],
    async run(_tool, args) {
      const [{ SearchIndex }, { searchTools }, { syncIndex }] = await Promise.all([
        import("../../core/search/search-index.ts"),
        import("../../core/search/search-tools.ts"),
        import("../../core/search/toolset-view.ts"),
      ]);
      index ??= new SearchIndex<Entry>();
      const current = toolset();
      syncIndex(index, current.catalog);
      const request = {
        query: typeof args.query === "string" ? args.query : "",
        limit: typeof args.limit === "number" ? args.limit : null,
        server: typeof args.server === "string" ? args.server : null,
        task: typeof args.task === "string" ? args.task : null,
        more: args.more === true,
        cursor,
      };
      const answer = searchTools(index, current, request, { missing: findMissing(sources()) });
      cursor = answer.cursor;
      if (answer.promoted.names.length > 0) onPromoted(answer.promoted);
      return { textResultForLlm: answer.text, resultType: "success" };
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
