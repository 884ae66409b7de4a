import type { EvidenceStanding } from "./evidence.ts";

/** Each row holds a weight in tenths, and everything that has it. */
export type Weights = readonly string[];

/** What the judge of wording has learned. */
export interface SentenceTables {
  readonly bias: number;
  readonly standings: Readonly<Record<EvidenceStanding, number>>;
  /** Without endings. For the text of a parameter, the tables of parameters count in addition. */
  readonly words: Weights;
  readonly parameterWords: Weights;
  readonly pairs: Weights;
  readonly classes: Weights;
  readonly opens: Weights;
  readonly parameterClasses: Weights;
  readonly near: Weights;
  /** Classes of the tool's topic, and other classes. */
  readonly atHome: Weights;
  readonly abroad: Weights;
  /** Classes and words that distinguish a bid to be chosen from other attacks. */
  readonly bids: Weights;
  readonly bidWords: Weights;
  readonly bidBias: number;
}

/** The same for other languages, where only word classes count. */
export interface ForeignTables {
  readonly bias: number;
  readonly classes: Weights;
  /** `give+secret`: a sentence has both. */
  readonly pairs: Weights;
}
