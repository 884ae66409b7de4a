import type { Entry } from "../../../core/catalog/entry.ts";
import { wordsOf } from "../../../core/search/parse-query.ts";
import type { MissingSource, SearchAnswer, SearchCursor } from "../../../core/search/search-answer.ts";
import type { SearchIndex } from "../../../core/search/search-index.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { CONNECTED, type Source } from "../../../sources/source.ts";
import { LOOP_TURNS } from "../../../system/time/loop-turns.ts";
import type { WrittenRequests } from "../../../system/written-requests.ts";
import type { SearchUsage } from "./search-usage.ts";
import type { SearchVectors } from "./search-vectors.ts";

export interface SearchSourceOptions {
  /** Whose searches these are, where many wait for their turn. */
  readonly session: string;
  readonly toolset: () => Toolset;
  /** All other sources, to say whose tools are missing. */
  readonly sources: () => readonly Source[];
  readonly usage: SearchUsage;
  readonly vectors: SearchVectors;
  /** The requests that a model wrote for tools, as they are now. */
  readonly written: () => Promise<WrittenRequests>;
  /** A search found tools that are loaded from the next request on. */
  readonly onLoaded: (toolset: Toolset, found: readonly Entry[]) => void;
}

/** One search as it was asked for. */
interface Wish {
  readonly query: string;
  readonly limit: number | null;
  readonly server: string | null;
  readonly task: string | null;
  readonly more: boolean;
}

/** What a search found in the toolset of that moment. */
interface ToolHits {
  readonly toolset: Toolset;
  readonly answer: SearchAnswer;
  /** Those of the hits that are deferred, or were before a search loaded them. */
  readonly found: readonly Entry[];
  /** Milliseconds in which nothing else was done. */
  readonly computed: number;
}

export type FindTools = (wish: Wish, signal: AbortSignal, cursor: SearchCursor | null) => Promise<ToolHits>;

/** Looks through whatever the session may see now. */
export function createToolFinder({
  session,
  toolset,
  sources,
  usage,
  vectors,
  written,
}: Omit<SearchSourceOptions, "onLoaded">): FindTools {
  let index: SearchIndex<Entry> | null = null;
  return async (wish, signal, cursor) => {
    const [{ SearchIndex }, { searchTools }, { syncIndex, viewToolset }, { findBehind }, { shippedRequests }] =
      await Promise.all([
        import("../../../core/search/search-index.ts"),
        import("../../../core/search/search-tools.ts"),
        import("../../../core/search/toolset-view.ts"),
        import("../../../core/toolset/loadable.ts"),
        import("../../../system/shipped-requests.ts"),
      ]);
    index ??= new SearchIndex<Entry>();
    const remembered = await usage.hints(index, () => toolset().catalog.entries);
    const searchable = viewToolset(toolset()).searchable.map(({ entry }) => entry);
    const similar = await vectors.similar(wordsOf(wish), searchable, signal);
    const requests = await written();
    await LOOP_TURNS.take(session);
    const since = performance.now();
    // Nothing is awaited from here on: two searches at once must not load tools over each other.
    const current = toolset();
    syncIndex(index, current.catalog, shippedRequests(), requests);
    const answer = searchTools(
      index,
      current,
      { ...wish, cursor },
      { missing: findMissing(sources()), hints: (text) => ({ ...remembered(text), similar }) },
    );
    const { deferred, loaded } = findBehind(current);
    const behind = new Set([...deferred, ...loaded]);
    const found = answer.hits.filter((hit) => behind.has(hit)).map(({ entry }) => entry);
    if (answer.words !== null) usage.searched(answer.words, found);
    return { toolset: current, answer, found, computed: performance.now() - since };
  };
}

/** Runs `tool_search` on what the session may see now. It belongs to no list: the catalog adds the tool itself. */
export function createSearchSource(find: FindTools, onLoaded: SearchSourceOptions["onLoaded"]): Source {
  let cursor: SearchCursor | null = null;

  return {
    kind: "builtin",
    name: "search",
    status: CONNECTED,
    list: async () => [],
    async run(_tool, args, { signal }) {
      const wish = {
        query: typeof args.query === "string" ? args.query : "",
        limit: typeof args.limit === "number" ? args.limit : null,
        server: typeof args.server === "string" ? args.server : null,
        task: typeof args.task === "string" ? args.task : null,
        more: args.more === true,
      };
      const { toolset, answer, found } = await find(wish, signal, cursor);
      cursor = answer.cursor;
      if (found.length > 0) onLoaded(toolset, found);
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
