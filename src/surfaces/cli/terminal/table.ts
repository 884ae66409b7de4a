import { cutStart, fitText, widthOf } from "./text-width.ts";

export interface Column {
  readonly heading: string;
  readonly align?: "left" | "right";
  /** Gives way when the terminal is narrow; the widest of these first. */
  readonly shrinks?: boolean;
  /** Left out where the terminal has no room for it beside columns that are never cut. */
  readonly drops?: boolean;
  /** What of a cell is kept when it must be cut; the start if absent. */
  readonly keeps?: "start" | "end";
}

const GAP = "  ";
const LEAST = 8;
/** A stranger may have made up a name that would push everything else out of sight. */
const MOST = 200;

/**
 * Lines of one width at most: the headings, then the rows, cut with `…` where they must be. Without a terminal the width
 * is null and hardly anything is cut, because programs look for whole names. Cells hold no control characters.
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number | null,
): readonly string[] {
  const victim = columns.findIndex(({ drops }) => drops === true);
  if (width !== null && victim !== -1 && leastWidth(columns, rows) > width) {
    const without = <T>(list: readonly T[]): readonly T[] => list.filter((_, at) => at !== victim);
    return formatTable(without(columns), rows.map(without), width);
  }
  const natural = columns.map(({ heading }, at) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[at] ?? "")), widthOf(heading)),
  );
  const widths =
    width === null ? capped(natural) : fitWidths(columns, capped(natural), width - GAP.length * (columns.length - 1));
  const format = (row: readonly string[]): string =>
    columns
      .map(({ align, keeps }, at) => {
        const [cell, room] = [row[at] ?? "", widths[at] ?? 0];
        return fitText(keeps === "end" ? cutStart(cell, room) : cell, room, align);
      })
      .join(GAP)
      .trimEnd();
  return [format(columns.map(({ heading }) => heading)), ...rows.map(format)];
}

function capped(widths: readonly number[]): readonly number[] {
  return widths.map((widest) => Math.min(widest, MOST));
}

/** What a table needs so that only what may be cut is cut. */
function leastWidth(columns: readonly Column[], rows: readonly (readonly string[])[]): number {
  const needs = columns.map(({ heading, shrinks }, at) =>
    rows.reduce((widest, row) => {
      const cell = widthOf(row[at] ?? "");
      return Math.max(widest, shrinks === true ? Math.min(cell, READABLE) : cell);
    }, widthOf(heading)),
  );
  return needs.reduce((sum, need) => sum + need, GAP.length * (columns.length - 1));
}

/** Less than this of a reason says nothing. */
const READABLE = 20;

/** One cap for all columns that shrink, as high as the room allows. */
function fitWidths(columns: readonly Column[], natural: readonly number[], room: number): readonly number[] {
  const shrinking = natural.filter((_, at) => columns[at]?.shrinks === true).sort((a, b) => a - b);
  let left = room - natural.reduce((sum, width, at) => sum + (columns[at]?.shrinks === true ? 0 : width), 0);
  let cap = Number.POSITIVE_INFINITY;
  for (const [at, width] of shrinking.entries()) {
    const share = Math.floor(left / (shrinking.length - at));
    if (width > share) {
      cap = Math.max(LEAST, share);
      break;
    }
    left -= width;
  }
  return natural.map((width, at) => (columns[at]?.shrinks === true ? Math.min(width, cap) : width));
}
