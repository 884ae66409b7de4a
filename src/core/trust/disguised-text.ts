/** The commonest words of English orders; three different ones do not appear by chance. */
const COMMON: ReadonlySet<string> = new Set(
  "the and all you your send read not tell user this that with previous instructions ignore key password token file to of it in is secret keys then any private us server call system prompt before every message".split(
    " ",
  ),
);
const MAX_CHARACTERS = 20_000;
const ENOUGH = 3;
const ALPHABET = 26;
const ROT13 = 13;

/** These words in each disguise. */
interface Disguises {
  readonly reversed: ReadonlySet<string>;
  readonly mirrored: ReadonlySet<string>;
  /** By an encoded word, how far its letters were shifted. */
  readonly shifted: ReadonlyMap<string, readonly number[]>;
  /** The longer words of the commonest disguises, to rule out most texts at a glance. */
  readonly hint: RegExp;
}

/** Built on first use: most commands read no text. */
let disguises: Disguises | null = null;

function loadDisguises(): Disguises {
  disguises ??= {
    reversed: new Set([...COMMON].map(reverse)),
    mirrored: new Set([...COMMON].filter((word) => word.length > 3).map(mirror)),
    shifted: toShifted(),
    hint: toHint(),
  };
  return disguises;
}

function toHint(): RegExp {
  const words = [...COMMON].flatMap((word) => [shift(word, ROT13), reverse(word)]);
  return new RegExp(`\\b(?:${words.filter((word) => word.length > 2 && !COMMON.has(word)).join("|")})\\b`, "i");
}

/** Any longer text in plain English contains one of these. */
const ENGLISH = /\b(?:the|and|to|of|a|an|for|with|in|is|or|from|by|on|this|that|it|be|as|at|if)\b/i;
const LEET = /[a-z][0134570@$][a-z]|\b[0134570@$][a-z]/i;
const WORD = /[a-z0-9@$!']+/g;

/** Whether a word may be disguised. */
export function isDisguised(word: string): boolean {
  if (LEET.test(word)) return true;
  if (word.length < 3 || COMMON.has(word)) return false;
  const { reversed, shifted, mirrored } = loadDisguises();
  return reversed.has(word) || shifted.has(word) || mirrored.has(word);
}

/** Text that was reversed, shifted in the alphabet or spelled with digits, decoded in every possible way. */
export function undoDisguise(text: string): readonly string[] {
  const isLeet = LEET.test(text);
  const { reversed, mirrored, shifted, hint } = loadDisguises();
  if (!isLeet && ENGLISH.test(text) && !hint.test(text)) return NONE;
  const part = text.slice(0, MAX_CHARACTERS).toLowerCase();
  const words = part.match(WORD) ?? [];
  if (words.length < 4) return NONE;
  const digits = isLeet ? fromDigits(words, part) : NONE;
  if (countOf(words, COMMON) >= words.length / 4) return digits;
  const found = [...digits];
  if (countOf(words, reversed) >= ENOUGH)
    found.push(
      reverse(part),
      part.replace(/\S+/g, (word) => reverse(word)),
    );
  const by = findShift(words, shifted);
  if (by !== null) found.push(shift(part, ALPHABET - by));
  if (countOf(words, mirrored) >= ENOUGH) found.push(mirror(part));
  return found;
}

const NONE: readonly string[] = [];

/** How many different words of a set occur. */
function countOf(words: readonly string[], set: ReadonlySet<string>): number {
  return new Set(words.filter((word) => set.has(word))).size;
}

function findShift(words: readonly string[], shifted: Disguises["shifted"]): number | null {
  const counts = new Uint8Array(ALPHABET);
  for (const word of new Set(words))
    for (const by of shifted.get(word) ?? []) {
      counts[by] = (counts[by] ?? 0) + 1;
      if (counts[by] >= ENOUGH) return by;
    }
  return null;
}

/** For short words only the commonest cipher counts: any four letters may be a name. */
function toShifted(): ReadonlyMap<string, readonly number[]> {
  const shifted = new Map<string, number[]>();
  for (const word of COMMON)
    for (let by = 1; by < ALPHABET; by++) {
      const written = shift(word, by);
      if ((word.length > 3 || by === ROT13) && !COMMON.has(written))
        shifted.set(written, [...(shifted.get(written) ?? []), by]);
    }
  return shifted;
}

function shift(text: string, by: number): string {
  return text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + by) % ALPHABET) + 97));
}

/** `a` for `z`, `b` for `y`. */
function mirror(text: string): string {
  return text.replace(/[a-z]/g, (letter) => String.fromCharCode(219 - letter.charCodeAt(0)));
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

/** `1gn0r3`: only if several words mix digits into letters and turn out to be words. */
function fromDigits(words: readonly string[], text: string): readonly string[] {
  const mixed = words.filter((word) => /[a-z]/.test(word) && /[013457@$!]/.test(word));
  if (mixed.length < ENOUGH) return NONE;
  const undo = (word: string): string => word.replace(/[013457@$!]/g, (sign) => LETTERS[sign] ?? sign);
  const known = new Set(mixed.map(undo).filter((word) => COMMON.has(word) || COMMON.has(word.replace(/s$/, ""))));
  return known.size >= 2 ? [undo(text)] : NONE;
}
