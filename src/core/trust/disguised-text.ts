/** The commonest words of English orders; three different ones do not turn up by chance in what they are looked for. */
const COMMON: ReadonlySet<string> = new Set(
  "the and all you your send read not tell user this that with previous instructions ignore key password token file to of it in is secret keys then any private us server call system prompt".split(
    " ",
  ),
);
const MAX_CHARACTERS = 20_000;
const ENOUGH = 3;

const SHIFTED: ReadonlySet<string> = new Set([...COMMON].map(shift));
const REVERSED: ReadonlySet<string> = new Set([...COMMON].map(reverse));
/** The longer of them, to see at a glance that a text has none. */
const HINT = new RegExp(
  `\\b(?:${[...SHIFTED, ...REVERSED].filter((word) => word.length > 2 && !COMMON.has(word)).join("|")})\\b|[a-z][0134570@$][a-z]|\\b[0134570@$][a-z]`,
  "i",
);

/** Whether a text may be spelled in another way. */
export function isDisguised(text: string): boolean {
  return HINT.test(text);
}

/** Text that was turned round, shifted by thirteen letters or spelled with digits, as it was; null for any other. */
export function undoDisguise(text: string): string | null {
  if (!isDisguised(text)) return null;
  const part = text.slice(0, MAX_CHARACTERS).toLowerCase();
  const words = part.match(/[a-z0-9@$!']+/g) ?? [];
  if (words.length < 4) return null;
  if (countOf(words, COMMON) < words.length / 4) {
    if (countOf(words, SHIFTED) >= ENOUGH) return shift(part);
    if (countOf(words, REVERSED) >= ENOUGH) return reverse(part);
  }
  return fromDigits(words, part);
}

/** How many different words of a set there are. */
function countOf(words: readonly string[], set: ReadonlySet<string>): number {
  return new Set(words.filter((word) => set.has(word))).size;
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
