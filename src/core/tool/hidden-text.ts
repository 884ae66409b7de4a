/** One pass over text that is nearly always clean; only what it flags is looked at closely. */
const SUSPECT =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: single code units are meant.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\ue000-\uf8ff]|\u034f/;

/** Never right in a definition, whatever stands around it. */
const ALWAYS_HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u115f\u1160\u17b4\u17b5\u180e\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\p{Noncharacter_Code_Point}]|\u034f|[\u{1d159}\u{1d173}-\u{1d17a}]|[\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]|[\u{1bca0}-\u{1bca3}]|[\u{13430}-\u{1343f}]|\p{Surrogate}/u;

/** The three subdivision flags in use; any other run of tag characters smuggles text. */
const FLAGS =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu;
const FLAG_OR_HIDDEN = new RegExp(`(${FLAGS.source})|${ALWAYS_HIDDEN.source}`, "gu");

/**
 * Invisible characters where they belong. Each looks for a character before it that stays itself, so that what is
 * ordinary before hidden text is taken out still is afterwards.
 */
const JOINED_EMOJI =
  "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]|[\\p{Emoji}\\p{S}]\\ufe0f)\\u200d(?=\\p{Extended_Pictographic})";
const JOINED_SCRIPT =
  "(?<=(?![\\u061c\\p{Variation_Selector}])[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{M}])[\\u200c\\u200d]";
const WORD_BREAK =
  "(?<=[\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}])\\u200b(?=[\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}])";
const STYLED =
  "(?<=(?!\\p{Variation_Selector})[\\p{Emoji}\\p{S}\\p{Script=Mongolian}])[\\ufe00-\\ufe0f\\u180b-\\u180d](?!\\p{Variation_Selector})";
const IDEOGRAPH_VARIANT = "(?<=\\p{Script=Han})[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}](?!\\p{Variation_Selector})";
const ORDINARY = [JOINED_EMOJI, JOINED_SCRIPT, WORD_BREAK, STYLED, IDEOGRAPH_VARIANT].join("|");
const OUT_OF_PLACE = new RegExp(
  `(?!${ORDINARY})[\\u180b-\\u180f\\u200b-\\u200d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]`,
  "gu",
);
/** A line that starts again writes over itself; characters of private use look like nothing, or like anything. */
const MISLEADING = /\r(?!\n)|\p{Private_Use}/u;
const DIRECTION_MARK = /[\u061c\u200e\u200f]/gu;
const RIGHT_TO_LEFT = /(?!\u061c)[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const LINE_BREAK = /[\u0085\u2028\u2029]/u;

/**
 * The first invisible or control character that a reader would not see and a model would, as `U+202E`; null if there
 * is none. Joined emoji, scripts that need joiners, and line breaks are ordinary text (G13).
 */
export function findHiddenText(text: string): string | null {
  if (!SUSPECT.test(text)) return null;
  const rest = text.replace(FLAGS, "");
  const found =
    rest.match(ALWAYS_HIDDEN) ??
    rest.match(MISLEADING) ??
    (RIGHT_TO_LEFT.test(rest) ? null : rest.match(DIRECTION_MARK)) ??
    rest.match(OUT_OF_PLACE);
  return found === null ? null : toCodePoint(found[0]);
}

/** The text without what `findHiddenText` finds, line breaks written as such, and how much that was. */
export function dropHiddenText(text: string): { readonly text: string; readonly dropped: number } {
  if (!SUSPECT.test(text)) return { text, dropped: 0 };
  let dropped = 0;
  const drop = (character: string) => {
    dropped += 1;
    return LINE_BREAK.test(character) ? "\n" : "";
  };
  let rest = text.replace(FLAG_OR_HIDDEN, (found, flag: string | undefined) => flag ?? drop(found));
  if (!RIGHT_TO_LEFT.test(rest)) rest = rest.replace(DIRECTION_MARK, drop);
  rest = rest.replace(OUT_OF_PLACE, drop);
  return { text: rest, dropped };
}

/** Text without the characters `findHiddenText` looks for, for comparing names that should look alike. */
export function dropInvisible(text: string): string {
  return text.replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/gu, "");
}

function toCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
