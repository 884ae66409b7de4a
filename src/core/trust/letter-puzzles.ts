import { ENGLISH_SMALL } from "./languages/languages.ts";
import { classesOf } from "./word-classes.ts";

const MORSE: ReadonlyMap<string, string> = new Map(
  "a.- b-... c-.-. d-.. e. f..-. g--. h.... i.. j.--- k-.- l.-.. m-- n-. o--- p.--. q--.- r.-. s... t- u..- v...- w.-- x-..- y-.-- z--.. 0----- 1.---- 2..--- 3...-- 4....- 5..... 6-.... 7--... 8---.. 9----."
    .split(" ")
    .map((entry) => [entry.slice(1), entry.slice(0, 1)] as const),
);
const MAYBE_MORSE = /[.\-·•–—−_]{1,5}[ /|]+[.\-·•–—−_]{1,5}[ /|]+[.\-·•–—−_]{1,5}[ /|]/;
const MORSE_RUN = /[.\-·•–—−_]{1,6}(?:[ /|]{1,5}[.\-·•–—−_]{1,6}){11,2000}/g;

/** Text in dots and dashes. */
export function findMorse(text: string): readonly string[] {
  if (!MAYBE_MORSE.test(text)) return NOTHING;
  return (text.match(MORSE_RUN) ?? NOTHING).map((run) =>
    toBlanks(
      run
        .replace(/[·•]/g, ".")
        .replace(/[–—−_]/g, "-")
        .split(/( *[/|]+ *| {2,})/)
        .map((word) =>
          /^[ /|]+$/.test(word)
            ? " "
            : word
                .split(" ")
                .map((sign) => MORSE.get(sign) ?? "")
                .join(""),
        )
        .join(""),
    ),
  );
}

const NOTHING: readonly string[] = [];
/** Single letters separated by blanks. Each blank fits in one way only, or an indented line would take for ever. */
const SINGLE_LETTERS = /^[ \t]*(?:\p{L}(?:[ \t]+\p{L}){0,20}[ \t]*)?$/u;
const FEWEST_ROWS = 4;
const FEWEST_INITIALS = 8;
const MOST_INITIALS = 80;
const BULLET = /^[\s>*#\d.()[\]-]+/;

/** What lines of single letters spell from top to bottom. */
export function readColumns(text: string): readonly string[] {
  if (!text.includes("\n")) return NOTHING;
  const found: string[] = [];
  let rows: string[] = [];
  for (const line of [...text.split("\n"), "end of the last block"]) {
    if (line.length < 50 && SINGLE_LETTERS.test(line)) {
      rows.push(line);
      continue;
    }
    const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
    const columns = Array.from({ length: width }, (_none, at) => rows.map((row) => row[at] ?? " ").join(""));
    const words = columns
      .filter((column) => column.trim() !== "")
      .map((column) => toBlanks(column.trim().toLowerCase()));
    if (rows.length >= FEWEST_ROWS && saysSomething(words)) found.push(words.join(" "));
    rows = [];
  }
  return found;
}

/** Tables of letters spell nothing. */
function saysSomething(columns: readonly string[]): boolean {
  const words = columns.flatMap((column) => column.split(" ")).filter((word) => word.length > 1);
  return words.length > 1 && words.filter(isWord).length > words.length * 0.7;
}

/** What the first letters of lines spell, if anything. */
export function readInitials(text: string): readonly string[] {
  if (!text.includes("\n")) return NOTHING;
  const lines = text.split("\n", MOST_INITIALS * 2);
  if (lines.length < FEWEST_INITIALS) return NOTHING;
  const initials = lines.map((line) => line.replace(BULLET, "").slice(0, 1).toLowerCase()).filter((one) => one !== "");
  if (initials.length < FEWEST_INITIALS || initials.length > MOST_INITIALS) return NOTHING;
  const words = divide(initials.join(""));
  return words === null ? NOTHING : [words.join(" ")];
}

const SMALL: ReadonlySet<string> = new Set(ENGLISH_SMALL.split("|"));
const LONGEST = 14;

function isWord(text: string): boolean {
  return SMALL.has(text) || (text.length > 2 && classesOf(text) !== 0);
}

/** Text without blanks, split into words; unchanged if it consists of none. */
function toBlanks(text: string): string {
  return text.includes(" ") || text.length < FEWEST_INITIALS ? text : (divide(text)?.join(" ") ?? text);
}

/** The fewest words that form the whole text; null if it does not consist of words. Linear time. */
function divide(text: string): readonly string[] | null {
  // For each end, how many words lead there, and where the last one begins.
  const counts = [0];
  const starts = [0];
  let missed = 0;
  for (let end = 1; end <= text.length; end++) {
    let count = Number.POSITIVE_INFINITY;
    let start = -1;
    for (let from = Math.max(0, end - LONGEST); from < end; from++) {
      const next = (counts[from] ?? Number.POSITIVE_INFINITY) + 1;
      if (next < count && isWord(text.slice(from, end))) [count, start] = [next, from];
    }
    counts.push(count);
    starts.push(start);
    missed = start === -1 ? missed + 1 : 0;
    if (missed === LONGEST) return null;
  }
  const words: string[] = [];
  for (let end = text.length; end > 0; ) {
    const start = starts[end] ?? -1;
    if (start === -1) return null;
    words.push(text.slice(start, end));
    end = start;
  }
  return words.reverse();
}
