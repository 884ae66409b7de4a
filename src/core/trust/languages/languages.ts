import {
  ALBANIAN,
  ESTONIAN,
  FINNISH,
  GREEK,
  HUNGARIAN,
  INDONESIAN,
  LITHUANIAN,
  SWAHILI,
  TAGALOG,
  TURKISH,
  VIETNAMESE,
} from "./further.ts";
import { DANISH, DUTCH, GERMAN, ICELANDIC, SWEDISH } from "./germanic.ts";
import type { Lexicon } from "./lexicon.ts";
import { CATALAN, ESPERANTO, FRENCH, ITALIAN, LATIN, PORTUGUESE, ROMANIAN, SPANISH } from "./romance.ts";
import {
  ARABIC,
  ARMENIAN,
  BENGALI,
  CHINESE,
  GEORGIAN,
  HEBREW,
  HINDI,
  JAPANESE,
  KOREAN,
  PERSIAN,
  TAMIL,
  TELUGU,
  THAI,
  URDU,
} from "./scripts.ts";
import { BULGARIAN, CROATIAN, CZECH, POLISH, RUSSIAN, UKRAINIAN } from "./slavic.ts";

/** Languages in Latin letters, identified by their function words. Close relatives share a lexicon. */
export const LATIN_LETTERS: readonly Lexicon[] = [
  ...[GERMAN, DUTCH, SWEDISH, DANISH, ICELANDIC, FRENCH, SPANISH, PORTUGUESE, ITALIAN, CATALAN, ROMANIAN, LATIN],
  ...[ESPERANTO, POLISH, CZECH, CROATIAN, TURKISH, FINNISH, ESTONIAN, HUNGARIAN, LITHUANIAN, ALBANIAN, INDONESIAN],
  ...[TAGALOG, SWAHILI, VIETNAMESE],
];

/** Bulgarian includes words of Serbian and Macedonian. */
export const CYRILLIC: readonly Lexicon[] = [RUSSIAN, UKRAINIAN, BULGARIAN];

/** Languages identified by their letters; the first match counts. */
export const OWN_LETTERS: readonly (readonly [letters: RegExp, language: Lexicon])[] = [
  [/\p{Script=Greek}/u, GREEK],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, JAPANESE],
  [/\p{Script=Hangul}/u, KOREAN],
  [/\p{Script=Han}/u, CHINESE],
  [/[ٹڈڑےںہھ]/u, URDU],
  [/[پچژگکی]/u, PERSIAN],
  [/\p{Script=Arabic}/u, ARABIC],
  [/\p{Script=Hebrew}/u, HEBREW],
  [/\p{Script=Devanagari}/u, HINDI],
  [/\p{Script=Bengali}/u, BENGALI],
  [/\p{Script=Tamil}/u, TAMIL],
  [/\p{Script=Telugu}/u, TELUGU],
  [/\p{Script=Thai}/u, THAI],
  [/\p{Script=Georgian}/u, GEORGIAN],
  [/\p{Script=Armenian}/u, ARMENIAN],
];

/** English function words, so that a foreign name or two do not make a sentence foreign. */
export const ENGLISH_SMALL =
  "the|of|and|to|a|an|in|is|are|was|were|for|with|on|at|by|from|this|that|it|its|or|as|be|can|not|if|you|your|all|any|will|when|which|has|have|do|does|no|one|per|via|than|then|into|must|should|may|each|only|also|use|used|these|those|their|there|other|more|after|before|so|up|out|about|they|we|our|i|my|me|us";
