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
  /** Best first; an exact name before all. */
  readonly hits: readonly Placement[];
  /** How many match in all; for words, at most the number that is ranked. */
  readonly total: number;
  /** Null on the last page. */
  readonly cursor: SearchCursor | null;
  /** The toolset's promotions followed by the deferred hits. */
  readonly promoted: Promotions;
  /** Requested names that no permitted tool has. */
  readonly unknown: readonly string[];
  /** Permitted names that may have been meant. */
  readonly nearest: readonly string[];
  /** Why the query is unusable; null if it is fine. */
  readonly problem: string | null;
  /** The words used for ranking; null for exact names and patterns, from which nothing is learned. */
  readonly words: string | null;
  /** False: a pattern was tried on all names, but not on all descriptions. */
  readonly complete: boolean;
  readonly missing: readonly MissingSource[];
  /** What the model reads. */
  readonly text: string;
}
