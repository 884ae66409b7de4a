import type { CodeLine } from "../../../core/call/call.ts";
import { escapeText } from "../../../system/text/escape-text.ts";

/** What the code is called in stacks, and what runs before it. */
export const USER_FILE = "code.ts";
export const PRELUDE_FILE = "toolcrib";

/** Before the code on its first line, so that its lines keep their numbers. */
const OPENING = "(async () => {";

/** What stands between names. */
const NO_NAME = /[^\p{ID_Continue}$]+/u;

const MOST_SHOWN = 200;
/** What is shown of a long line before the place that is meant. */
const LEAD = 60;

/** A place in what runs: lines count from 1, columns in bytes. */
export interface CodePlace {
  readonly line: number;
  readonly column: number;
}

/** At the end of a line of a stack: what stands before it is a function's name, which the code may choose. */
const PLACE = /\bcode\.ts:(\d+):(\d+)\)?$/m;

/** The innermost place that a stack names. Only for the model that wrote the code: the code can write stacks of its own. */
function placeIn(stack: string): CodePlace | null {
  const [, line, column] = PLACE.exec(stack.slice(0, 20_000)) ?? [];
  return line === undefined ? null : { line: Number(line), column: Number(column) };
}

/** The word that an error is about. */
const WORD = /^ReferenceError: (\S+) is not defined$|^TypeError: cannot read property '([^']+)' of /;

/** The code with one kind of line end, so that everybody counts its lines alike. */
export function evenLines(code: string): string {
  return code.replace(/\r\n?|[\u2028\u2029]/g, "\n");
}

/** One run's code: the text that runs, and its lines for people. */
export interface CodeText {
  readonly runs: string;
  /** The line as the model wrote it; of a long one what stands around the place. Safe to show. */
  show(place: CodePlace): CodeLine | null;
  /**
   * The line of an error that the code did not catch. Of a missing name the engine knows only the last call before it, so
   * it is the first line from there on that has the name.
   */
  showError(error: string, stack: string): CodeLine | null;
}

export function toCodeText(code: string, stripped: string): CodeText {
  const runs = `${OPENING}${stripped}\n})`;
  const [written, ran] = [code.split("\n"), runs.split("\n")];
  const show = ({ line, column }: CodePlace): CodeLine | null => {
    const text = written[line - 1]?.trim();
    if (text === undefined) return null;
    return { line, text: escapeText(text.length <= MOST_SHOWN ? text : around(ran[line - 1] ?? "", column)) };
  };
  return {
    runs,
    show,
    showError(error, stack) {
      const place = placeIn(stack);
      if (place === null) return null;
      const [, name, property] = WORD.exec(error) ?? [];
      const word = name ?? property;
      const has = (text: string): boolean => word !== undefined && text.split(NO_NAME).includes(word);
      const at = written.findIndex((text, index) => index >= place.line - 1 && has(text));
      return show(at < 0 ? place : { line: at + 1, column: Buffer.byteLength(ran[at]?.split(word ?? "")[0] ?? "") });
    },
  };
}

function around(text: string, column: number): string {
  const at = Buffer.from(text).subarray(0, column).toString().length;
  const start = Math.max(0, at - LEAD);
  const shown = text.slice(start, start + MOST_SHOWN);
  return `${start === 0 ? "" : "…"}${shown}${start + MOST_SHOWN < text.length ? "…" : ""}`;
}
