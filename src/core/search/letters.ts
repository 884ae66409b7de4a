const LETTER_A = 97;

/**
 * Which letters stand in a word, as bits, other characters in place of one of them: words that share few are far from
 * each other, one that lacks a letter of another does not hold it, and this tells it at once.
 */
export function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) - LETTER_A);
  return letters;
}
