import type { CLASS } from "../word-classes.ts";

/**
 * Words of one language by what they can be to a sentence that wants something from a model, without their endings and
 * divided by `|`. Up to three letters are a whole word; two words may stand for one.
 */
export type Lexicon = Readonly<Partial<Record<keyof typeof CLASS, string>>> & {
  /** Little words that nearly every sentence has: by these a language is known. */
  readonly small: string;
};
