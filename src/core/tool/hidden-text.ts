import { KIND, kindOfCharacter, knownKinds } from "./character-kinds.ts";

/** One pass over text that is nearly always clean; only what it flags is examined closely. */
const SUSPECT =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: single code units are meant.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\ue000-\uf8ff]|\u034f/;

/** The three subdivision flags in use; any other run of tag characters smuggles text. */
const FLAG =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/uy;
const BLACK_FLAG = 0x1f3f4;
const FLAG_POINTS = 7;

/** A bare carriage return overwrites its line; private-use characters may look like anything or nothing. */
const MISLEADING = /\r(?!\n)|\p{Private_Use}/u;
const LINE_FEED = 0x0a;
const ESCAPE = 0x1b;
const ZERO_WIDTH_JOINER = 0x200d;
const EMOJI_SELECTOR = 0xfe0f;
const MAYBE = KIND.joiner | KIND.wordBreak | KIND.selector;

/** Whether a text has any character that `findHiddenText` would look at twice. */
export function mayHide(text: string): boolean {
  return SUSPECT.test(text);
}

/**
 * The first invisible or control character that a model would read and a person would not see, as `U+202E`; null if
 * there is none. Joined emoji, scripts that need joiners, and line breaks are ordinary text (G13).
 */
export function findHiddenText(text: string): string | null {
  if (!SUSPECT.test(text)) return null;
  const shown = readText(text);
  const misleading = shown.hidden === null ? (MISLEADING.exec(text)?.[0].codePointAt(0) ?? null) : null;
  const found = shown.hidden ?? misleading ?? dropMarks(shown) ?? dropMisplaced(shown);
  return found === null ? null : `U+${found.toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * The text without what `findHiddenText` finds, with normalised line breaks, and the number of removals. With
 * `escapeEnd`, an escape character is removed together with its sequence and counts once.
 */
export function dropHiddenText(
  text: string,
  escapeEnd: ((text: string, at: number) => number) | null = null,
): { readonly text: string; readonly dropped: number } {
  if (!SUSPECT.test(text)) return { text, dropped: 0 };
  const shown = readText(text, escapeEnd);
  dropMarks(shown);
  dropMisplaced(shown);
  return shown.dropped === 0 ? { text, dropped: 0 } : { text: write(shown), dropped: shown.dropped };
}

/** A text as its characters, without those that are always hidden; later removals close the gap. */
interface Shown {
  readonly points: Uint32Array;
  length: number;
  dropped: number;
  readonly hidden: number | null;
  /** Of all characters combined. */
  readonly kinds: number;
}

/** Reused: an answer may hold many short texts. */
const SHORT = new Uint32Array(256);

// This looks at up to millions of characters, so it allocates nothing and runs no pattern for a single one.
function readText(text: string, escapeEnd: ((text: string, at: number) => number) | null = null): Shown {
  const points = text.length <= SHORT.length ? SHORT : new Uint32Array(text.length);
  const kinds = knownKinds();
  let [length, dropped, all] = [0, 0, 0];
  let hidden: number | null = null;
  let flagEnd = 0;
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at) ?? 0;
    if (point === BLACK_FLAG && isFlagAt(text, at)) flagEnd = length + FLAG_POINTS;
    if (point > 0xffff) at += 1;
    const kind = kinds[point] || kindOfCharacter(point);
    all |= kind;
    if ((kind & KIND.hidden) === 0 || length < flagEnd) points[length++] = point;
    else {
      if ((kind & KIND.lineBreak) !== 0) points[length++] = LINE_FEED;
      if (point === ESCAPE && escapeEnd !== null) at = escapeEnd(text, at) - 1;
      hidden ??= point;
      dropped += 1;
    }
  }
  return { points, length, dropped, hidden, kinds: all };
}

function isFlagAt(text: string, at: number): boolean {
  FLAG.lastIndex = at;
  return FLAG.test(text);
}

/** Drops direction marks in text without right-to-left writing; returns the first. */
function dropMarks(shown: Shown): number | null {
  const { points, length, kinds: all } = shown;
  if ((all & KIND.directionMark) === 0 || (all & KIND.rightToLeft) !== 0) return null;
  const kinds = knownKinds();
  let kept = 0;
  let first: number | null = null;
  for (let at = 0; at < length; at++) {
    const point = points[at] ?? 0;
    if (((kinds[point] ?? 0) & KIND.directionMark) === 0) points[kept++] = point;
    else first ??= point;
  }
  return keep(shown, kept, first);
}

/** Drops misplaced joiners, breaks and selectors; returns the first. */
function dropMisplaced(shown: Shown): number | null {
  const { points, length, kinds: all } = shown;
  if ((all & MAYBE) === 0) return null;
  const kinds = knownKinds();
  let kept = 0;
  let first: number | null = null;
  // The original preceding characters, even if dropped by now.
  let before = 0;
  let beforeThat = 0;
  for (let at = 0; at < length; at++) {
    const point = points[at] ?? 0;
    const kind = kinds[point] ?? 0;
    const next = at + 1 < length ? (points[at + 1] ?? 0) : 0;
    if ((kind & MAYBE) === 0 || belongs(point, kind, next, before, beforeThat)) points[kept++] = point;
    else first ??= point;
    beforeThat = before;
    before = point;
  }
  return keep(shown, kept, first);
}

function keep(shown: Shown, kept: number, first: number | null): number | null {
  shown.dropped += shown.length - kept;
  shown.length = kept;
  return first;
}

/**
 * Whether an invisible character is legitimate here. Each requires a preceding character that is itself kept, so that
 * text which was clean before a removal is still clean after it.
 */
function belongs(point: number, kind: number, next: number, before: number, beforeThat: number): boolean {
  const kinds = knownKinds();
  const is = kinds[next] ?? 0;
  const was = kinds[before] ?? 0;
  if ((kind & KIND.selector) !== 0) {
    if ((is & KIND.selector) !== 0) return false;
    const styles = (kind & KIND.styles) !== 0 && (was & KIND.takesStyle) !== 0;
    return styles || ((kind & KIND.variesIdeographs) !== 0 && (was & KIND.ideograph) !== 0);
  }
  if ((kind & KIND.wordBreak) !== 0) return (was & is & KIND.breaksWords) !== 0;
  if ((was & KIND.joinsScript) !== 0) return true;
  if (point !== ZERO_WIDTH_JOINER || (is & KIND.pictograph) === 0) return false;
  return (was & KIND.joinsEmoji) !== 0 || (before === EMOJI_SELECTOR && ((kinds[beforeThat] ?? 0) & KIND.symbol) !== 0);
}

const CHUNK = 8192;

function write({ points, length }: Shown): string {
  let text = "";
  if (length <= SHORT.length) {
    for (let at = 0; at < length; at++) text += String.fromCodePoint(points[at] ?? 0);
    return text;
  }
  const units = new Uint16Array(2 * Math.min(CHUNK, length));
  for (let from = 0; from < length; from += CHUNK) {
    let count = 0;
    for (let at = from; at < Math.min(from + CHUNK, length); at++) {
      const point = points[at] ?? 0;
      if (point > 0xffff) units[count++] = 0xd7c0 + (point >> 10);
      units[count++] = point > 0xffff ? 0xdc00 | (point & 0x3ff) : point;
    }
    // `apply` accepts anything array-like.
    text += String.fromCharCode.apply(null, units.subarray(0, count) as unknown as number[]);
  }
  return text;
}

/** Text without the characters `findHiddenText` looks for, for comparing names that should look alike. */
export function dropInvisible(text: string): string {
  return text.replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/gu, "");
}
