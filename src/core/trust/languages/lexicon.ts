import type { CLASS } from "../word-classes.ts";

/**
 * The words of one language by their class in a sentence that wants something from a model, without endings and
 * separated by `|`. Up to three letters are a whole word; an item may be two words.
 */
export type Lexicon = Readonly<Partial<Record<keyof typeof CLASS, string>>> & {
  /** Function words that nearly every sentence has: they identify the language. */
  readonly small: string;
};
