import type { EvidenceStanding } from "./evidence.ts";

/** In each row a weight in tenths, and all that has it. */
export type Weights = readonly string[];

/** What the judge of wording has learned. */
export interface SentenceTables {
  readonly bias: number;
  readonly standings: Readonly<Record<EvidenceStanding, number>>;
  /** Without endings. The tables of parameters count for what is said of one, besides the others. */
  readonly words: Weights;
  readonly parameterWords: Weights;
  readonly pairs: Weights;
  readonly classes: Weights;
  readonly opens: Weights;
  readonly parameterClasses: Weights;
  readonly near: Weights;
  /** Classes of what the tool is about, and of what it is not. */
  readonly atHome: Weights;
  readonly abroad: Weights;
  /** Classes and words that tell a bid to be chosen from other attacks. */
  readonly bids: Weights;
  readonly bidWords: Weights;
  readonly bidBias: number;
}

/** The same for sentences of other languages, of which only the classes of their words count. */
export interface ForeignTables {
  readonly bias: number;
  readonly classes: Weights;
  /** `give+secret`: a sentence has both. */
  readonly pairs: Weights;
}
