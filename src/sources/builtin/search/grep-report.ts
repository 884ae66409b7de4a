import { cleanOutput } from "../../../system/text/clean-text.ts";
import type { PlacedLine } from "../parts/outcome.ts";
import { splitLines } from "./find-lines.ts";
import type { GrepQuery } from "./grep-query.ts";

/** The answer to a search as it grows, up to its limits. */
export interface GrepReport {
  /** How many more matching lines are needed from the next file. */
  readonly room: number;
  readonly isFull: boolean;
  add(shown: string, text: string, found: readonly number[]): void;
  lines(): readonly PlacedLine[];
}

const LARGEST_TEXT = 40_000;
const LONGEST_LINE = 500;
const SEPARATOR: PlacedLine = { place: null, rest: "--" };

export function createGrepReport(query: GrepQuery): GrepReport {
  const printed: PlacedLine[] = [];
  let counted = 0;
  let size = 0;
  let isFull = false;

  const print = (line: PlacedLine, counts = true) => {
    if (isFull) return;
    const length = (line.place?.length ?? 0) + line.rest.length;
    if (counts && (counted >= query.limit || size + length > LARGEST_TEXT)) {
      isFull = true;
      return;
    }
    if (counts) counted += 1;
    size += length + 1;
    printed.push(line);
  };

  const addContent = (shown: string, text: string, found: readonly number[]) => {
    const lines = splitLines(text);
    const matching = new Set(found);
    for (const [first, last] of toGroups(found, query, lines.length)) {
      if (query.before + query.after > 0 && printed.length > 0) print(SEPARATOR, false);
      for (let number = first; number <= last && !isFull; number += 1) {
        const mark = matching.has(number) ? ":" : "-";
        const at = query.lineNumbers ? `${mark}${number + 1}${mark}` : mark;
        print({ place: shown, rest: at + toShownLine(lines[number] ?? "") });
      }
    }
  };

  return {
    get room() {
      if (query.mode === "files_with_matches") return 1;
      // One more than is shown, to know that there are more.
      return query.mode === "count" ? Number.POSITIVE_INFINITY : query.limit - counted + 1;
    },
    get isFull() {
      return isFull;
    },
    add: (shown, text, found) => {
      if (found.length === 0) return;
      if (query.mode === "content") addContent(shown, text, found);
      else print({ place: shown, rest: query.mode === "count" ? `:${found.length}` : "" });
    },
    lines: () => (printed.at(-1) === SEPARATOR ? printed.slice(0, -1) : printed),
  };
}

/** Matching lines with the lines around them; groups that overlap or touch are joined. */
function toGroups(found: readonly number[], { before, after }: GrepQuery, total: number): [number, number][] {
  const groups: [number, number][] = [];
  for (const number of found) {
    const first = Math.max(0, number - before);
    const last = Math.min(total - 1, number + after);
    const group = groups.at(-1);
    if (group !== undefined && before + after > 0 && first <= group[1] + 1) group[1] = last;
    else groups.push([first, last]);
  }
  return groups;
}

function toShownLine(line: string): string {
  const clean = cleanOutput(line.length > LONGEST_LINE * 2 ? line.slice(0, LONGEST_LINE * 2) : line).replaceAll(
    "\n",
    " ",
  );
  const shown = clean.length > LONGEST_LINE ? cutText(clean) : clean;
  return shown.length < clean.length || line.length > LONGEST_LINE * 2 ? `${cutText(clean)} [long line cut]` : shown;
}

/** Cuts between characters: half a surrogate pair is not valid text. */
function cutText(text: string): string {
  return text.slice(0, LONGEST_LINE).replace(/[\ud800-\udbff]$/u, "");
}
