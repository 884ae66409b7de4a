import type { CodeLine } from "../../../core/call/call.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import { markLines } from "./mark-lines.ts";
import type { CodePlace } from "./marks.ts";
import { type CodeNode, parseCode } from "./parse-code.ts";
import { isPlain, stripTypes } from "./strip-types.ts";

/** What the code is called in stacks, and what runs before it. */
export const USER_FILE = "code.ts";
export const PRELUDE_FILE = "toolcrib";

/** What hears what the code throws. */
const THROWN = "thrown";

const MOST_SHOWN = 200;
/** What is shown of a long line before the place that is meant. */
const LEAD = 60;

/** The code with one kind of line end, so that everybody counts its lines alike. */
export function evenLines(code: string): string {
  return code.replace(/\r\n?|[\u2028\u2029]/g, "\n");
}

/** One run's code: the text that runs, and its lines for people. */
export interface CodeText {
  readonly runs: string;
  /** The line as the model wrote it; of a long one what stands around the place. Safe to show. */
  show(place: CodePlace): CodeLine | null;
}

/** Throws what is wrong with the code. What runs stands on the lines that it has in the code. */
export function toCodeText(code: string): CodeText {
  let thrown = THROWN;
  while (code.includes(thrown)) thrown += "_";
  const { whole, program } = readCode(code, thrown);
  const { text, inCode } = markLines(whole, program, thrown);
  const [written, read] = [code.split("\n"), whole.split("\n")];
  const toLine = (place: CodePlace): CodeLine | null => {
    const { line, column } = inCode(place);
    const shown = written[line - 1]?.trim();
    if (shown === undefined) return null;
    return { line, text: escapeText(shown.length <= MOST_SHOWN ? shown : around(read[line - 1] ?? "", column)) };
  };
  let last: { readonly place: CodePlace; readonly shown: CodeLine | null } | null = null;
  return {
    runs: text,
    show(place) {
      // Calls in a loop come from one place.
      if (last?.place.line !== place.line || last.place.column !== place.column) last = { place, shown: toLine(place) };
      return last.shown;
    },
  };
}

interface ReadCode {
  readonly whole: string;
  readonly program: CodeNode;
}

/** Most code has no types, and looking for them takes longer than reading it. */
function readCode(code: string, thrown: string): ReadCode {
  const read = (stripped: string): ReadCode => {
    const whole = `(async (${thrown}) => {${stripped}\n})`;
    return { whole, program: parseCode(whole) };
  };
  if (isPlain(code)) {
    try {
      return read(code);
    } catch {
      // It has types, or is wrong; the other reader says which.
    }
  }
  return read(stripTypes(code));
}

/** The line of code that cannot be read, by what its reader says of it. */
export function lineOfError(code: string, error: unknown): CodeLine | null {
  const line = Number(/\((\d+):\d+\)/.exec(String(error))?.[1]);
  const text = code.split("\n")[line - 1]?.trim();
  return text === undefined ? null : { line, text: escapeText(text.slice(0, MOST_SHOWN)) };
}

function around(text: string, column: number): string {
  const start = Math.max(0, column - LEAD);
  const shown = text.slice(start, start + MOST_SHOWN);
  return `${start === 0 ? "" : "…"}${shown}${start + MOST_SHOWN < text.length ? "…" : ""}`;
}
