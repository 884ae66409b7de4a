/** A word as a shell and a rule read it back: plain where possible, else in quotes. */
export function quoteWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return word.includes("'") ? `"${word.replace(/["\\$`]/g, "\\$&")}"` : `'${word}'`;
}
