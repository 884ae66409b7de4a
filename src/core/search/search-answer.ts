import type { Promotions } from "../scene/scene.ts";
import type { Placement } from "../toolset/toolset.ts";

/** Where the next page begins. */
export interface SearchCursor {
  readonly query: string;
  readonly server: string | null;
  readonly task: string | null;
  readonly offset: number;
}

/** A source whose tools are missing from the answer. */
export interface MissingSource {
  readonly name: string;
  readonly state: "starting" | "failed";
  readonly reason: string | null;
}

export interface SearchAnswer {
  /** Best first; the exact name before all. */
  readonly hits: readonly Placement[];
  /** How many match in all; for words no more than are ranked. */
  readonly total: number;
  /** Null on the last page. */
  readonly cursor: SearchCursor | null;
  /** The toolset's promotions with the deferred hits behind them. */
  readonly promoted: Promotions;
  /** Names asked for that no permitted tool has. */
  readonly unknown: readonly string[];
  /** Permitted names that may have been meant. */
  readonly nearest: readonly string[];
  /** Why the query itself is of no use; null when it is fine. */
  readonly problem: string | null;
  /** The words that were ranked by; null for exact names and patterns, which teach nothing. */
  readonly words: string | null;
  /** False: a pattern was tried on all names, and not on all descriptions. */
  readonly complete: boolean;
  readonly missing: readonly MissingSource[];
  /** What the model reads. */
  readonly text: string;
}
