import { CLASS } from "../word-classes.ts";
import { CYRILLIC, ENGLISH_SMALL, LATIN_LETTERS, OWN_LETTERS } from "./languages.ts";
import type { Lexicon } from "./lexicon.ts";

/** A sentence in a language other than English. */
export interface ForeignReading {
  /** The classes of its words. */
  readonly has: number;
  /** False if no lexicon knows the language: then its meaning is unknown. */
  readonly known: boolean;
}

/** Words that all languages adopted from English. */
const EVERYWHERE: Lexicon = {
  small: "",
  secret: "ssh key|ssh-key|private key|api key|api-key|api_key|environment variable|env var|id_rsa|id_ed25519",
  private: "password|token|apikey|credential|cookie",
  talk: "system prompt|system-prompt|systemprompt|prompt|chat",
};

const NOT_ASCII = /[^\t-~]/;
/** Letters that no language of Latin script has. */
const OTHER_LETTER = /[^\p{Script=Latin}\P{L}]/gu;
/** This few may be a symbol or a name in an English sentence; ideograms say more in less. */
const FEW = 3;
/** This many can hold an order. */
const MANY = 32;
const ACCENTED = /[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]/;
const WORD_END = /[^\p{L}\p{M}'-]+/u;
const CYRILLIC_LETTER = /\p{Script=Cyrillic}/u;

const MARKS = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}])\p{M}+|[\u0640\u200c]/gu;
const VARIANTS = /[ıłøđðæœßىةیک]/g;
const PLAIN: Readonly<Record<string, string>> = {
  ...{ ı: "i", ł: "l", ø: "o", đ: "d", ð: "d", æ: "ae", œ: "oe", ß: "ss" },
  ...{ ى: "ي", ة: "ه", ی: "ي", ک: "ك" },
};

/** Without accents and Arabic vowel marks, which many writers leave out. */
function fold(text: string): string {
  return text
    .normalize("NFD")
    .replace(MARKS, "")
    .replace(VARIANTS, (letter) => PLAIN[letter] ?? letter)
    .normalize("NFC");
}

/** Reads a sentence of plain text; null for English. */
export function readForeignSentence(sentence: string): ForeignReading | null {
  const isStrange = NOT_ASCII.test(sentence);
  const letters = isStrange ? (sentence.match(OTHER_LETTER) ?? []) : [];
  const text = isStrange ? fold(sentence) : sentence;
  if (letters.length > FEW) return readLetters(text, letters.join(""));
  const languages = findLanguages(text, LATIN_LETTERS, ACCENTED.test(sentence));
  return languages.length === 0 ? null : { has: readWith(languages, text), known: true };
}

function readLetters(text: string, letters: string): ForeignReading | null {
  const own = OWN_LETTERS.find(([script]) => script.test(letters));
  if (own !== undefined) return { has: readWith([own[1]], text), known: true };
  if (CYRILLIC_LETTER.test(letters)) {
    const languages = findLanguages(text, CYRILLIC, true);
    return { has: readWith(languages.length === 0 ? CYRILLIC : languages, text), known: true };
  }
  return letters.length < MANY ? null : { has: 0, known: false };
}

/** The languages with the most function words in a sentence; all, if only its letters show that it is not English. */
function findLanguages(text: string, languages: readonly Lexicon[], isAccented: boolean): readonly Lexicon[] {
  const votes = new Map<Lexicon, number>();
  const words = new Set(text.split(WORD_END));
  let english = 0;
  let most = 0;
  for (const word of words) {
    const speakers = speakersOf(word);
    if (ENGLISH.has(word)) {
      // A word that both languages have does not distinguish them.
      if (speakers === undefined) english += 1;
      continue;
    }
    for (const language of speakers ?? NOBODY) {
      const count = (votes.get(language) ?? 0) + 1;
      votes.set(language, count);
      if (count > most && languages.includes(language)) most = count;
    }
  }
  const isLong = words.size >= LONG && english === 0;
  if (most === 0 && isLong && isAccented) return languages;
  if (most <= english || most < (isAccented || isLong ? 1 : 2)) return NOBODY;
  const enough = most > 2 ? most - 1 : most;
  return languages.filter((language) => (votes.get(language) ?? 0) >= enough);
}

/** This many words without an English function word are hardly English. */
const LONG = 5;
const NOBODY: readonly Lexicon[] = [];
const ENGLISH: ReadonlySet<string> = new Set(ENGLISH_SMALL.split("|"));
/** Built on first use: most commands read no text. */
let small: ReadonlyMap<string, readonly Lexicon[]> | null = null;

/** The languages that have this function word. */
function speakersOf(word: string): readonly Lexicon[] | undefined {
  small ??= toSmall();
  return small.get(word);
}

/** Whether a word in Latin letters is a function word of another language and not of English. */
export function isForeignSmall(word: string): boolean {
  return word.length > 1 && speakersOf(word) !== undefined && !ENGLISH.has(word);
}

function toSmall(): ReadonlyMap<string, readonly Lexicon[]> {
  const found = new Map<string, Lexicon[]>();
  for (const language of [...LATIN_LETTERS, ...CYRILLIC])
    for (const word of new Set(fold(language.small).split("|"))) {
      const others = found.get(word);
      if (others === undefined) found.set(word, [language]);
      else others.push(language);
    }
  return found;
}

type Patterns = readonly (readonly [number, RegExp])[];
const known = new Map<Lexicon, Patterns>();

/** The classes that any of the languages finds. */
function readWith(languages: readonly Lexicon[], text: string): number {
  let has = 0;
  for (const language of [EVERYWHERE, ...languages])
    for (const [bits, pattern] of patternsOf(language)) if ((has & bits) === 0 && pattern.test(text)) has |= bits;
  return has;
}

/** Built for the languages that occur. */
function patternsOf(language: Lexicon): Patterns {
  let patterns = known.get(language);
  if (patterns === undefined) {
    const isApart = language === EVERYWHERE || LATIN_LETTERS.includes(language) || !OWN.has(language);
    patterns = Object.entries(CLASS).flatMap(([name, bits]) => {
      const words = Reflect.get(language, name);
      return typeof words === "string" ? [[bits, toPattern(fold(words).split("|"), isApart)] as const] : [];
    });
    known.set(language, patterns);
  }
  return patterns;
}

/** Languages whose words are found anywhere in a text; Greek separates them. */
const OWN: ReadonlySet<Lexicon> = new Set(OWN_LETTERS.slice(1).map(([, language]) => language));

/** Letters without accents; a class of all letters of the world takes long to compile. */
const LETTER = "a-z\\u0370-\\u04ff";

function toPattern(stems: readonly string[], isApart: boolean): RegExp {
  const escaped = stems.map((stem) => stem.replace(/[.\\]/g, "\\$&"));
  if (!isApart) return new RegExp(escaped.join("|"));
  const whole = escaped.filter((stem) => stem.length < 4);
  const begun = escaped.filter((stem) => stem.length >= 4);
  const forms = begun.length === 0 ? whole : [...whole, `(?:${begun.join("|")})[${LETTER}]{0,8}`];
  return new RegExp(`(?<![0-9${LETTER}])(?:${forms.join("|")})(?![${LETTER}])`);
}
