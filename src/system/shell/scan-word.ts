import { PROCESS_FILE, UNKNOWN_TEXT } from "../../core/rules/shell/command-line.ts";
import { decodeAnsiC } from "./ansi-c.ts";
import { useOf } from "./bindings.ts";
import { type Cursor, giveUp, type Marked, note, type ScannedWord, skipContinuations } from "./cursor.ts";
import { expandBraces, type MarkedText } from "./expand-braces.ts";
import { scanBackquotes, scanProcess } from "./scan-expansion.ts";
import { scanValue } from "./scan-value.ts";

/** Ends an unquoted word. */
const META = " \t\n|&;()<>";
/** The same where a word may contain the others, as on the right side of `=~`. */
export const IN_CONDITION = " \t\n";

/** Characters without special meaning anywhere in a word. */
const PLAIN = /[^\s|&;()<>\\'"`$]+/y;

/** More than anybody writes, and few enough to be read in time. */
const MOST_WORDS = 8_000;

/** One word as written: its text with a mark per character, and its position. */
export interface RawWord extends MarkedText {
  readonly start: number;
  readonly end: number;
}

/** Reads a word, and every command inside it. The cursor is at its first character. */
export function scanWord(cursor: Cursor, meta: string = META): RawWord {
  const start = cursor.at;
  let text = "";
  let marks = "";
  const add = (piece: string, mark: string): void => {
    text += piece;
    marks += mark.repeat(piece.length);
  };
  let end = start;
  for (;;) {
    end = cursor.at;
    skipContinuations(cursor);
    const character = cursor.text[cursor.at];
    const next = cursor.text[cursor.at + 1];
    if (character === undefined) break;
    if ((character === "<" || character === ">") && next === "(") {
      scanProcess(cursor);
      add(PROCESS_FILE, "d");
    } else if (meta.includes(character)) break;
    else if (character === "\\") {
      add(next ?? "\\", "q");
      cursor.at += 2;
    } else if (character === "'") add(scanSingle(cursor), "q");
    else if (character === '"') {
      const quoted = scanDouble(cursor);
      text += quoted.text;
      marks += quoted.marks;
    } else if (character === "`") {
      scanBackquotes(cursor, false);
      add(UNKNOWN_TEXT, "D");
    } else if (character === "$") {
      const piece = scanDollarPiece(cursor);
      text += piece.text;
      marks += piece.marks;
    } else {
      PLAIN.lastIndex = cursor.at;
      const stop = PLAIN.test(cursor.text) ? PLAIN.lastIndex : cursor.at + 1;
      add(cursor.text.slice(cursor.at, stop), "u");
      cursor.at = stop;
    }
  }
  const { findings } = cursor;
  if (/[$`]/.test(text)) findings.hidden.push(text);
  if (++findings.words > MOST_WORDS) giveUp(cursor, `more than ${MOST_WORDS} words`);
  return { text, marks, start, end: Math.min(end, cursor.text.length) };
}

/** The words that one written word becomes: several with braces, one otherwise. */
export function toScannedWords(raw: RawWord, cursor: Cursor): readonly ScannedWord[] {
  const offset = cursor.offset ?? 0;
  const place = { start: raw.start + offset, end: raw.end + offset };
  const expanded = expandBraces(raw, cursor.findings);
  if (expanded === null) {
    const text = raw.text.replace(/\{[^{}]*\}/g, UNKNOWN_TEXT);
    const nature = raw.marks.includes("D") || hasUse(raw.marks) ? { nature: "several" as const } : {};
    return [{ text, isStatic: false, hasGlob: false, hasTilde: raw.text.startsWith("~"), ...nature, ...place }];
  }
  return expanded.map((one) => describeAt(one, place));
}

/** A single word, however it is written; braces stay unexpanded, which is right for targets and values. */
export function toScannedWord(raw: RawWord): ScannedWord {
  return describeAt(raw, raw);
}

/** A shortcut for plain text, because a line may have thousands of words. */
function describeAt(word: MarkedText, { start, end }: { readonly start: number; readonly end: number }): ScannedWord {
  const { text, marks } = word;
  const hasTilde = text.startsWith("~") && marks.startsWith("u");
  const isPlain = !UNKNOWN_MARK.test(marks) && !isPattern(text, marks);
  return isPlain ? { text, isStatic: true, hasGlob: false, hasTilde, start, end } : { ...describe(word), start, end };
}

/** What the marks of a text say about it. */
export function describe({ text, marks }: MarkedText): Marked {
  const hasGlob = isPattern(text, marks);
  const hasTilde = text.startsWith("~") && marks.startsWith("u");
  const word = { text, isStatic: !UNKNOWN_MARK.test(marks) && !hasGlob, hasGlob, hasTilde };
  const nature = marks.includes("D") ? "several" : marks.startsWith("o") ? "operand" : null;
  return { ...word, ...(nature === null ? {} : { nature }), ...(hasUse(marks) ? { marked: { text, marks } } : {}) };
}

const UNKNOWN_MARK = /[^uq]/;

function hasUse(marks: string): boolean {
  return UNKNOWN_MARK.test(marks) && [...marks].some((mark) => useOf(mark) !== null);
}

function isPattern(text: string, marks: string): boolean {
  if (!/[*?\]]/.test(text)) return false;
  let bracket = false;
  for (let at = 0; at < text.length; at++) {
    if (marks[at] !== "u") continue;
    const character = text[at];
    if (character === "*" || character === "?" || (character === "]" && bracket)) return true;
    if (character === "[") bracket = true;
  }
  return false;
}

function scanSingle(cursor: Cursor): string {
  const close = cursor.text.indexOf("'", cursor.at + 1);
  if (close === -1) note(cursor, "syntax", "a single quote is not closed");
  const end = close === -1 ? cursor.text.length : close;
  const body = cursor.text.slice(cursor.at + 1, end);
  cursor.at = end + 1;
  return body;
}

/** The cursor is at `"`. */
function scanDouble(cursor: Cursor): MarkedText {
  let text = "";
  let marks = "";
  cursor.at += 1;
  for (;;) {
    const character = cursor.text[cursor.at];
    const next = cursor.text[cursor.at + 1];
    if (character === undefined) {
      note(cursor, "syntax", "a double quote is not closed");
      return { text, marks };
    }
    if (character === '"') {
      cursor.at += 1;
      return { text, marks };
    }
    if (character === "\\" && next === "\n") cursor.at += 2;
    else if (character === "\\" && next !== undefined && '$`"\\'.includes(next)) {
      text += next;
      marks += "q";
      cursor.at += 2;
    } else if (character === "`") {
      scanBackquotes(cursor, true);
      text += UNKNOWN_TEXT;
      marks += "d";
    } else {
      const mark = character === "$" ? scanValue(cursor, true) : null;
      text += mark === null ? character : UNKNOWN_TEXT;
      marks += mark ?? "q";
      if (mark === null) cursor.at += 1;
    }
  }
}

/** The cursor is at `$`: quotes of two kinds, an expansion, or a plain dollar. */
function scanDollarPiece(cursor: Cursor): MarkedText {
  const next = cursor.text[cursor.at + 1];
  if (next === "'") {
    const end = findAnsiCEnd(cursor);
    const body = cursor.text.slice(cursor.at + 2, end);
    const { text, certain } = decodeAnsiC(body);
    // Bash drops the text after a NUL: such a line is written to deceive.
    if (/\\(?:0{1,3}|x0{1,2}|u0{1,4}|U0{1,8}|[24]00)(?![0-9A-Fa-f])/.test(body))
      note(cursor, "control", "a quoted text holds a NUL");
    cursor.at = end + 1;
    return { text, marks: (certain ? "q" : "d").repeat(text.length) };
  }
  if (next === '"') {
    cursor.at += 1;
    // A translated string may differ in another language, so it is never certain.
    const { text } = scanDouble(cursor);
    return { text, marks: "d".repeat(text.length) };
  }
  const mark = scanValue(cursor, false);
  if (mark !== null) return { text: UNKNOWN_TEXT, marks: mark };
  cursor.at += 1;
  return { text: "$", marks: "q" };
}

function findAnsiCEnd(cursor: Cursor): number {
  for (let at = cursor.at + 2; at < cursor.text.length; at++) {
    if (cursor.text[at] === "\\") at += 1;
    else if (cursor.text[at] === "'") return at;
  }
  note(cursor, "syntax", "a $' quote is not closed");
  return cursor.text.length;
}
