import { toEndingOf } from "./replace-text.ts";

/** The outcome of an insertion; line numbers count from 1. */
export type Insertion =
  | { readonly kind: "done"; readonly bytes: Buffer; readonly added: number }
  | { readonly kind: "past-end"; readonly lines: number };

const LF = 0x0a;
const BOM = Buffer.from("\uFEFF");

/**
 * Inserts whole lines after a line, or at the start for 0. The rest stays byte for byte, except that a last line
 * without an ending gets one when lines follow it. The text takes on the line endings of the file.
 */
export function insertLines(file: Buffer, line: number, text: string): Insertion {
  const start = file.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
  const { at, passed } = endOfLine(file, start, line);
  if (passed < line) return { kind: "past-end", lines: passed };
  const isOpen = at > start && file[at - 1] !== LF;
  const ending = toEndingOf(file)("\n");
  const isLast = at === file.length;
  const own = toEndingOf(file)(text);
  const lines = own.endsWith("\n") || (isLast && (isOpen || at === start)) ? own : `${own}${ending}`;
  const bytes = Buffer.concat([
    file.subarray(0, at),
    Buffer.from(isOpen ? ending : ""),
    Buffer.from(lines),
    file.subarray(at),
  ]);
  return { kind: "done", bytes, added: countLines(own) };
}

/** The end of a line including its ending, and the number of lines up to it. */
function endOfLine(file: Buffer, start: number, line: number): { readonly at: number; readonly passed: number } {
  let at = start;
  let passed = 0;
  while (passed < line && at < file.length) {
    const found = file.indexOf(LF, at);
    at = found === -1 ? file.length : found + 1;
    passed += 1;
  }
  return { at, passed };
}

function countLines(text: string): number {
  const breaks = text.split("\n").length - 1;
  return text.endsWith("\n") ? breaks : breaks + 1;
}
