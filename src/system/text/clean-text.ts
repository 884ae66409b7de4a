import { dropHiddenText } from "../../core/tool/hidden-text.ts";

/** Sequences that a terminal acts on instead of showing, in their 7-bit and 8-bit forms. */
const SEQUENCES = new RegExp(
  [
    // OSC, DCS, SOS, PM, APC: a string up to its terminator, or to the end of the line if that is missing.
    "(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c\\n]*(?:\\u0007|\\u001b\\\\|\\u009c)?",
    // CSI: parameters, intermediates, one final byte.
    "(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?",
    // All other escapes.
    "\\u001b[ -/]*[0-~]?",
  ].join("|"),
  "gu",
);
/** Bell, line feed, escape, and the 8-bit end of a string. */
const STRING_ENDS: ReadonlySet<number> = new Set([0x07, 0x0a, 0x1b, 0x9c]);
/** What most results are; the fastest check. */
const PLAIN = /^[\t\n\r -~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this takes out.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu;
/** Directions and tags: they make text read differently from what it says. Joiners and marks of scripts stay. */
const DECEIVING = /[\u2028\u2029\u202a-\u202e\u2060-\u2069\u206a-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Text without the sequences that move a cursor, colour text, set titles or talk back to the program. */
export function dropTerminalSequences(text: string): string {
  return text.replace(SEQUENCES, "");
}

/**
 * Untrusted output for a model to read: the visible text, unchanged, without what only a machine would see. Only
 * sequences that begin with the escape character itself are removed whole: the 8-bit forms also occur in text with a
 * wrong encoding, and visible text would be lost.
 */
export function dropHiddenParts(text: string): { readonly text: string; readonly dropped: number } {
  if (PLAIN.test(text)) return { text, dropped: 0 };
  return dropHiddenText(text, escapeEnd);
}

/** The end of the sequence that the escape character at this offset begins, as in `SEQUENCES`. */
function escapeEnd(text: string, start: number): number {
  const unit = (offset: number): number => text.charCodeAt(offset);
  const skip = (from: number, first: number, last: number): number => {
    let at = from;
    while (unit(at) >= first && unit(at) <= last) at += 1;
    return at;
  };
  const kind = text[start + 1] ?? "";
  if (kind === "[") {
    const end = skip(skip(start + 2, 0x30, 0x3f), 0x20, 0x2f);
    return unit(end) >= 0x40 && unit(end) <= 0x7e ? end + 1 : end;
  }
  if (kind === "" || !"]PX^_".includes(kind)) {
    const end = skip(start + 1, 0x20, 0x2f);
    return unit(end) >= 0x30 && unit(end) <= 0x7e ? end + 1 : end;
  }
  let end = start + 2;
  while (end < text.length && !STRING_ENDS.has(unit(end))) end += 1;
  if (unit(end) === 0x1b) return text[end + 1] === "\\" ? end + 2 : end;
  return end < text.length && unit(end) !== 0x0a ? end + 1 : end;
}

/** Text without control characters other than tab and line feed; a lone carriage return becomes a line feed. */
export function dropControls(text: string): string {
  return text.replace(/\r+\n/gu, "\n").replace(/\r/gu, "\n").replace(CONTROLS, "");
}

/** Text without the invisible characters that change how the rest is read. */
function dropDeceivingText(text: string): string {
  return text.replace(DECEIVING, "");
}

/**
 * A program's output as a terminal would show it, for a model to read: later writes over the same line win, as progress
 * bars intend, and nothing invisible is left.
 */
export function cleanOutput(text: string): string {
  return dropDeceivingText(dropControls(overwriteLines(dropTerminalSequences(text))));
}

/** Keeps the part of each line after its last carriage return, and applies backspaces. */
function overwriteLines(text: string): string {
  if (!/[\r\b]/u.test(text)) return text;
  return text
    .split("\n")
    .map((line) => eraseBackwards(lastWritten(line)))
    .join("\n");
}

function lastWritten(line: string): string {
  const written = line.replace(/\r+$/u, "");
  return written.slice(written.lastIndexOf("\r") + 1);
}

function eraseBackwards(line: string): string {
  if (!line.includes("\b")) return line;
  const shown: string[] = [];
  for (const character of line) {
    if (character === "\b") shown.pop();
    else shown.push(character);
  }
  return shown.join("");
}
