import { CONFUSABLES } from "../catalog/confusables.ts";
import { dropInvisible } from "../tool/hidden-text.ts";

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
]);

/**
 * Text as a model reads it, with attempts to evade filters undone: widths, styles, invisible characters, look-alike
 * letters, entities, emphasis and separated letters. Lower case; line breaks stay.
 */
export function toPlainText(text: string): string {
  let plain = text;
  if (plain.includes("&")) plain = plain.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,5});/gi, decodeEntity);
  if (/[^\t\n\r\u0020-\u007e]/.test(plain)) {
    plain = dropInvisible(
      plain
        .replace(/[\t\r\n\u0085\u2028\u2029]+/g, (blank) => (blank === "\t" ? " " : "\n"))
        .normalize("NFKC")
        .replaceAll("\n", "\ue000"),
    );
    plain = plain.replaceAll("\ue000", "\n");
    plain = plain.replace(/[\u2018\u2019\u02bc\u00b4]/g, "'").replace(/[\u2013\u2014\u2212]/g, "-");
    plain = plain.replace(/[\p{L}\p{M}]{2,40}/gu, foldMixedWord);
  }
  plain = plain.toLowerCase().replace(/[*`"\u201c\u201d]/g, "");
  if (MAYBE_APART.test(plain) && APART.test(plain)) plain = joinLetters(plain);
  return plain.replace(/[ \t]+/g, " ");
}

const MAYBE_APART = /[ ._-]\S[ ._-]\S[ ._-]|^\S[ ._-]\S[ ._-]/;
const APART = /(?<![\p{L}\d])\p{L}(?:[ ._-]\p{L}){3}(?![\p{L}\d])|(?<![\p{L}\d])\p{L}(?:[ ._-]\p{L}){3}[ ._-]/u;

/** Letters separated by one sign, `i.g.n.o.r.e` or `i g n o r e`; wider gaps separate words. */
function joinLetters(plain: string): string {
  return plain
    .replace(/(?<![\p{L}\d])\p{L}(?:([._-])\p{L})(?:\1\p{L}){1,40}(?![\p{L}\d])/gu, (apart) =>
      apart.replace(/[._-]/g, ""),
    )
    .replace(/(?<![\p{L}\d])\p{L}(?: \p{L}){3,60}(?![\p{L}\d])/gu, (apart) => apart.replace(/ /g, ""));
}

function decodeEntity(whole: string, name: string): string {
  if (!name.startsWith("#")) return ENTITIES.get(name.toLowerCase()) ?? whole;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
}

/** A word that mixes Latin with Cyrillic or Greek is read as the Latin word it imitates. */
function foldMixedWord(word: string): string {
  if (
    !/[a-z]/i.test(word) ||
    !/[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u.test(word)
  )
    return word;
  return [...word].map((character) => CONFUSABLES.get(character) ?? character).join("");
}

/** Whether this word ends a sentence. */
export function endsSentence(word: string): boolean {
  return /[.!?]$/.test(word) && !/\b(?:e\.g|i\.e|vs|cf|incl|approx)\.$/.test(word);
}

/** Text after a semicolon is a separate sentence, unless it refers back: `open this; put it there`. */
const SENTENCE_END =
  /(?<=[.!?])(?<!\b(?:e\.g|i\.e|vs|cf|incl|approx)\.)\s+|(?<=;)\s+(?!(?:\S{1,20}\s+){0,2}(?:it|them|its|their|this|that|these|those)\b)|(?<=[。！？।۔؟։።])|\n+/;

/** Sentences, or lines if there are none: the extent of one thought. */
export function toSentences(plain: string): readonly string[] {
  return plain
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}
