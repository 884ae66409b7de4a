import type { Config } from "../../../config/config.ts";
import type { Promotions } from "../../../core/scene/scene.ts";
import type { Embedder } from "../../../core/search/vector-store.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import type { Source } from "../../../sources/source.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { SessionPlace } from "../sources/session-place.ts";
import { toEmbedder } from "./configured-embedder.ts";
import { fromSaved, type PromotionState, type SavedPromotions, toSaved } from "./promotion-state.ts";
import { createSearchSource, createToolFinder, type FindTools } from "./search-source.ts";
import { createRequestReader, createSearchStores, type SearchStores } from "./search-stores.ts";
import { createSearchUsage, type UsageSetting } from "./search-usage.ts";
import { createSearchVectors } from "./search-vectors.ts";

/** What searches need of the session around them. */
export interface SearchSetting extends SessionPlace {
  /** What an earlier session had loaded, to go on from there. */
  readonly promoted?: Promotions | undefined;
  /** Where it is kept what searches led to, and for whom; absent: nowhere, and only for this session. */
  readonly usage?: UsageSetting;
  /** Where it is kept what was made for definitions so that search finds them; nowhere if absent. */
  readonly searchStores?: SearchStores;
  /** Turns texts into vectors, where the host has something that can. */
  readonly embedder?: Embedder;
}

interface SearchPorts {
  readonly setting: SearchSetting;
  /** As the session began with it. */
  readonly config: Config;
  readonly emitter: Emitter;
  readonly engine: { readonly toolset: Toolset };
  readonly live: { readonly sources: readonly Source[] };
  readonly promotions: PromotionState;
}

/** The searches of one session: what they have loaded, and what they led to. */
export interface SessionSearch {
  readonly source: Source;
  /** The same search for code, which loads nothing into requests. */
  readonly find: FindTools;
  readonly saved: SavedPromotions;
  /** Loads what others have loaded for the same client. */
  join(others: SavedPromotions): void;
  /** A new user message begins: loaded tools that were of use longest ago go, where all are over the budget. */
  nextTurn(): void;
  /** Says where loaded tools stand: in every request, or in the history, where letting one go would save nothing. */
  loadsInto(place: "request" | "history"): void;
  /** Waits until everything is stored. */
  close(): Promise<void>;
}

const NO_STORE = { store: null, tenant: "" } as const;

export function createSessionSearch({
  setting,
  config,
  emitter,
  engine,
  live,
  promotions,
}: SearchPorts): SessionSearch {
  const { timing, logger, searchStores = createSearchStores(setting, null) } = setting;
  const usage = createSearchUsage(setting.usage ?? NO_STORE, timing.today, logger.error);
  let loadedPlace: "request" | "history" = "request";
  emitter.on("tool.execution_complete", ({ toolName, success, sentToModel }) => {
    if (!success || !sentToModel) return;
    promotions.touch(toolName);
    if (!usage.isWaiting) return;
    const entry = engine.toolset.catalog.entries.find(({ wireName }) => wireName === toolName);
    if (entry !== undefined) usage.succeeded(entry.identity);
  });
  const find = createToolFinder({
    session: setting.id,
    toolset: () => engine.toolset,
    sources: () => live.sources,
    usage,
    written: createRequestReader(searchStores.requests, timing.today, logger.error),
    vectors: createSearchVectors({
      ...toEmbedder(setting.embedder, searchStores, config),
      now: timing.today,
      onError: logger.error,
    }),
  });
  return {
    source: createSearchSource(find, promotions.load),
    find,
    get saved() {
      return toSaved(promotions.now);
    },
    join: (others) => promotions.join(fromSaved(others)),
    nextTurn() {
      if (loadedPlace === "request") promotions.trim(engine.toolset);
    },
    loadsInto(place) {
      loadedPlace = place;
    },
    close: usage.close,
  };
}
