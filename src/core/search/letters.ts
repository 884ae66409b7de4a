const LETTER_A = 97;

/**
 * The letters of a word as bits, with one bit for all other characters. A quick test: words that share few letters are
 * far apart, and a word that lacks a letter of another cannot contain it.
 */
export function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) - LETTER_A);
  return letters;
}
