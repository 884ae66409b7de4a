import type { CodeLine } from "../../../core/call/call.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import { markLines } from "./mark-lines.ts";
import type { CodePlace } from "./marks.ts";
import { type CodeNode, parseCode } from "./parse-code.ts";
import { isPlain, stripTypes } from "./strip-types.ts";

/** File names in stacks: of the code, and of what runs before it. */
export const USER_FILE = "code.ts";
export const PRELUDE_FILE = "toolcrib";

/** The name of the function that receives what the code throws. */
const THROWN = "thrown";

const MOST_SHOWN = 200;
/** Characters of a long line shown before the relevant position. */
const LEAD = 60;

/** The code with one kind of line end, so that everybody counts lines alike. */
export function evenLines(code: string): string {
  return code.replace(/\r\n?|[\u2028\u2029]/g, "\n");
}

/** One run's code: the text that runs, and its lines for people. */
export interface CodeText {
  readonly runs: string;
  /** The line as the model wrote it, shortened around the position. Safe to show. */
  show(place: CodePlace): CodeLine | null;
}

/** Throws what is wrong with the code. Lines keep their numbers. */
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
      // Calls in a loop come from the same position.
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
      // It has types, or is wrong; the other parser tells which.
    }
  }
  return read(stripTypes(code));
}

/** The line of code that cannot be parsed, according to the parser's error. */
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
