/** The commonest words of English orders; three different ones do not turn up by chance in what they are looked for. */
const COMMON = new Set(
  "the and all you your send read not tell user this that with previous instructions ignore key password token file to of it in is secret keys then any private us server call system prompt".split(
    " ",
  ),
);
const MAX_CHARACTERS = 20_000;
const ENOUGH = 3;

/** Text that was turned round, shifted by thirteen letters or spelled with digits, as it was; null for any other. */
export function undoDisguise(text: string): string | null {
  const part = text.slice(0, MAX_CHARACTERS).toLowerCase();
  const words = part.match(/[a-z0-9@$!']+/g) ?? [];
  if (words.length < 4) return null;
  if (countCommon(words, (word) => word) >= words.length / 4)
    return /\d[a-z]|[a-z]\d/.test(part) ? fromDigits(words, part) : null;
  if (countCommon(words, shift) >= ENOUGH) return shift(part);
  if (countCommon(words, reverse) >= ENOUGH) return reverse(part);
  return fromDigits(words, part);
}

/** How many different common words there are once each word is changed back. */
function countCommon(words: readonly string[], change: (word: string) => string): number {
  const found = new Set<string>();
  for (const word of words) {
    const changed = change(word);
    if (COMMON.has(changed)) found.add(changed);
  }
  return found.size;
}

function shift(text: string): string {
  return text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97));
}

function reverse(text: string): string {
  return [...text].reverse().join("");
}

const LETTERS: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};

/** `1gn0r3`: only where several words mix digits into letters and turn out to be words. */
function fromDigits(words: readonly string[], text: string): string | null {
  const mixed = words.filter((word) => /[a-z]/.test(word) && /[013457@$!]/.test(word));
  if (mixed.length < ENOUGH) return null;
  const undo = (word: string): string => word.replace(/[013457@$!]/g, (sign) => LETTERS[sign] ?? sign);
  const known = new Set(mixed.map(undo).filter((word) => COMMON.has(word) || COMMON.has(word.replace(/s$/, ""))));
  return known.size >= 2 ? undo(text) : null;
}
