import { widthOf } from "./text-width.ts";

/** The last rows of a terminal, which are drawn again and again while other text scrolls by above them. */
export interface LiveArea {
  /** Writes whole lines above. */
  print(lines: string): void;
  /** Replaces the rows; each fits on one row of the terminal. */
  show(rows: readonly string[], cursor: Caret): void;
  /** Takes the rows away, until they are shown again. */
  clear(): void;
}

export interface Caret {
  readonly row: number;
  readonly column: number;
}

const ERASE_BELOW = "\u001b[J";

export function createLiveArea(write: (text: string) => void, columns: () => number): LiveArea {
  let drawn: readonly string[] = [];
  let cursor: Caret = { row: 0, column: 0 };
  /** To the first row that was drawn; a terminal that became narrower has broken rows in two. */
  const toTop = (): string => {
    if (drawn.length === 0) return "";
    const width = columns();
    const above = drawn.slice(0, cursor.row).reduce((rows, row) => rows + rowsOf(row, width), 0);
    const up = above + Math.floor(cursor.column / width);
    return `\r${up === 0 ? "" : `\u001b[${up}A`}${ERASE_BELOW}`;
  };
  const draw = (): string => {
    if (drawn.length === 0) return "";
    const up = drawn.length - 1 - cursor.row;
    const right = cursor.column === 0 ? "" : `\u001b[${cursor.column}C`;
    return `${drawn.join("\n")}\r${up === 0 ? "" : `\u001b[${up}A`}${right}`;
  };
  return {
    print: (lines) => write(`${toTop()}${lines}${draw()}`),
    show(rows, at) {
      const top = toTop();
      drawn = rows;
      cursor = at;
      write(`${top}${draw()}`);
    },
    clear() {
      write(toTop());
      drawn = [];
    },
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what colours are made of.
const COLOURS = /\u001b\[[\d;]*m/g;

/** How wide a text with colours is. */
export function shownWidth(text: string): number {
  return widthOf(text.replace(COLOURS, ""));
}

function rowsOf(row: string, width: number): number {
  return Math.max(1, Math.ceil(shownWidth(row) / width));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about them.
const CONTROLS = /\u001b(?!\[[\d;]*m)|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g;

/** Text of others is escaped where it is written; what was forgotten there can only be seen here. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
