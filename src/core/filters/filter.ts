import type { Origin } from "../codes/origin.ts";

/** What happens to what a filter finds: it is replaced, the call or its result is refused, or it is only logged. */
export const FILTER_ACTS = ["mask", "block", "note"] as const;
type FilterAct = (typeof FILTER_ACTS)[number];

export const FILTER_SIDES = ["arguments", "results"] as const;
export type FilterSide = (typeof FILTER_SIDES)[number];

/** A stretch of a text, `to` exclusive. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Looks for one kind of data. */
export interface Finder {
  readonly kind: string;
  /** `about` is the name of the field that the text is the value of; empty if there is none. In order of `from`. */
  readonly find: (text: string, about: string) => readonly TextRange[];
  /** A JSON number with fewer digits is never of this kind. */
  readonly leastDigits: number;
}

/** A finder, and what happens to what it finds. */
export interface Sieve {
  readonly finder: Finder;
  readonly act: FilterAct;
  readonly origin: Origin;
}

/** What was found, without what it says. */
export interface FoundKind {
  readonly kind: string;
  readonly count: number;
  readonly act: FilterAct;
  readonly origin: Origin;
}
