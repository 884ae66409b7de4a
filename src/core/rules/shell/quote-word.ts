/** A word that a shell and a rule read back unchanged: plain if possible, else quoted. */
export function quoteWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return word.includes("'") ? `"${word.replace(/["\\$`]/g, "\\$&")}"` : `'${word}'`;
}
