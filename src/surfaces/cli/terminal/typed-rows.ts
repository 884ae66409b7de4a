import { escapeText } from "../../../system/text/escape-text.ts";
import type { Caret } from "./live-area.ts";
import { widthOf, wrapText } from "./text-width.ts";
import { clustersIn, type TypedText } from "./typed-text.ts";

interface Place {
  readonly columns: number;
  /** How many rows may be shown. */
  readonly most: number;
}

/** What is typed behind a label, on rows that fit, with those around the cursor where there are too many. */
export function toTypedRows(label: string, { text, at }: TypedText, { columns, most }: Place) {
  const width = Math.max(10, columns - 1);
  const indent = Math.min(widthOf(label), 2);
  const rows: string[] = [];
  let row = label;
  let used = widthOf(label);
  let cursor: Caret | null = null;
  const next = (): void => {
    rows.push(row);
    row = " ".repeat(indent);
    used = indent;
  };
  let seen = 0;
  for (const cluster of clustersIn(text)) {
    const shown = toShown(cluster);
    const needs = cluster === "\n" ? 0 : widthOf(shown);
    if (cluster !== "\n" && used + needs > width) next();
    if (seen >= at && cursor === null) cursor = { row: rows.length, column: used };
    if (cluster === "\n") next();
    else {
      row += shown;
      used += needs;
    }
    seen += cluster.length;
  }
  cursor ??= { row: rows.length, column: used };
  rows.push(row);
  return within(rows, cursor, Math.max(1, most));
}

/** A label alone may be longer than a row. */
export function cutLabel(label: string, columns: number): { readonly above: string; readonly label: string } {
  if (widthOf(label) < columns - 3) return { above: "", label };
  return { above: `${wrapText(label.trimEnd(), columns - 1).join("\n")}\n`, label: "> " };
}

function toShown(cluster: string): string {
  return cluster === "\t" ? "    " : escapeText(cluster);
}

function within(rows: readonly string[], cursor: Caret, most: number) {
  if (rows.length <= most) return { rows, cursor };
  const first = Math.max(0, Math.min(cursor.row - Math.floor(most / 2), rows.length - most));
  return { rows: rows.slice(first, first + most), cursor: { ...cursor, row: cursor.row - first } };
}
