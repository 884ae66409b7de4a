import { escapeText } from "../../../system/text/escape-text.ts";
import { shownWidth } from "./live-area.ts";
import type { Style } from "./style.ts";
import { widthOf } from "./text-width.ts";

/** Markdown that arrives in pieces, as lines for a terminal. */
export interface TerminalMarkdown {
  /** The lines that are whole now, each with its line break. */
  push(text: string): string;
  /** What has come of lines that are not whole, as it came. */
  readonly unfinished: string;
  /** What is left. */
  end(): string;
}

/** Text of a model: everything that could control a terminal is written out before anything gets a colour. */
export function createTerminalMarkdown(style: Style, columns: () => number): TerminalMarkdown {
  let rest = "";
  let fence: string | null = null;
  let table: string[] = [];
  const endTable = (): string => {
    const rows = table;
    table = [];
    return rows.length === 0 ? "" : formatRows(rows, style, columns() - 1);
  };
  const take = (written: string): string => {
    const line = toShown(written);
    const ticks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    if (fence !== null) {
      if (ticks?.startsWith(fence) !== true || line.trim() !== ticks) return `${style.code(line)}\n`;
      fence = null;
      return `${style.dim(line)}\n`;
    }
    if (/^ {0,3}\|.*\|\s*$/.test(line)) {
      table.push(line.trim());
      return "";
    }
    if (ticks === null) return `${endTable()}${formatLine(line, style, columns() - 1)}\n`;
    fence = ticks;
    return `${endTable()}${style.dim(line)}\n`;
  };
  return {
    push(text) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      return style.isUsed ? lines.map(take).join("") : lines.map((line) => `${toShown(line)}\n`).join("");
    },
    get unfinished() {
      return [...table, ...(rest === "" ? [] : [toShown(rest)])].join("\n");
    },
    end() {
      const last = rest;
      rest = "";
      const said = last === "" ? "" : style.isUsed ? take(last) : `${toShown(last)}\n`;
      const whole = said + endTable();
      fence = null;
      return whole;
    },
  };
}

function toShown(line: string): string {
  return escapeText(line.replace(/\r$/, "").replaceAll("\t", "    "));
}

function formatLine(line: string, style: Style, width: number): string {
  const heading = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/.exec(line);
  if (heading !== null) return layOut([[heading[1] ?? "", style.bold]], "", "", width);
  if (/^ {0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line)) return style.dim("─".repeat(Math.min(40, width)));
  const [, mark = "", said = ""] = /^(\s*(?:[-*+]\s+|\d{1,9}[.)]\s+|(?:>\s?)+)?)(.*)$/s.exec(line) ?? [];
  const isQuoted = mark.includes(">");
  const shown = isQuoted ? mark.replace(/>\s?/g, "│ ") : mark.replace(/[-*+]/, "•");
  const hanging = isQuoted ? shown : " ".repeat(widthOf(shown));
  const paint = isQuoted ? style.dim : (text: string) => text;
  return layOut(toSpans(said, style), paint(shown), paint(hanging), width);
}

type Span = readonly [text: string, paint: (text: string) => string];

// Code first, because nothing in it means anything. A mark inside a word is a part of it.
const INLINE =
  /(`+)(.+?)\1(?!`)|(\*\*|__)(?=\S)(.+?\S?)\3|(?<![\p{L}\p{N}*_])([*_])(?=\S)([^*_]+?)\5(?![\p{L}\p{N}])|~~(?=\S)(.+?)~~|\[([^\]]+)\]\(([^()\s]+)\)/gu;
/** A longer line is no prose, and is shown as it is. */
const LONGEST = 2_000;

function toSpans(line: string, style: Style): readonly Span[] {
  if (line.length > LONGEST) return [[line, asIs]];
  const spans: Span[] = [];
  let from = 0;
  for (const found of line.matchAll(INLINE)) {
    const [whole, , code, , bold, , italic, struck, label, address] = found;
    if (found.index > from) spans.push([line.slice(from, found.index), asIs]);
    from = found.index + whole.length;
    if (code !== undefined) spans.push([code, style.code]);
    else if (bold !== undefined) spans.push([bold, style.bold]);
    else if (italic !== undefined) spans.push([italic, style.italic]);
    else if (struck !== undefined) spans.push([struck, style.struck]);
    else spans.push([label ?? "", style.underlined], [` (${address ?? ""})`, style.dim]);
  }
  return [...spans, [line.slice(from), asIs]];
}

function asIs(text: string): string {
  return text;
}

/** Whole words on rows of that width; a word that is longer stands alone, and the terminal breaks it. */
function layOut(spans: readonly Span[], first: string, hanging: string, width: number): string {
  const rows: string[] = [];
  let row = first;
  let used = shownWidth(first);
  let isEmpty = true;
  for (const [text, paint] of spans) {
    let part = "";
    const endPart = (): void => {
      row += part === "" ? "" : paint(part);
      part = "";
    };
    for (const piece of text.split(/(?<= )(?=[^ ])/)) {
      if (!isEmpty && used + widthOf(piece.trimEnd()) > width) {
        part = part.trimEnd();
        endPart();
        rows.push(row.trimEnd());
        row = hanging;
        used = shownWidth(hanging);
      }
      part += piece;
      used += widthOf(piece);
      isEmpty = false;
    }
    endPart();
  }
  return [...rows, row].join("\n");
}

/** A table with columns of one width; one that does not fit stays as it was written. */
function formatRows(lines: readonly string[], style: Style, width: number): string {
  const rows = lines.map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
  const isRule = (cells: readonly string[]): boolean => cells.every((cell) => /^:?-+:?$/.test(cell));
  const count = Math.max(...rows.map((cells) => cells.length));
  const painted = rows.map((cells, at) =>
    Array.from({ length: count }, (_, column) => {
      const cell = toSpans(cells[column] ?? "", style)
        .map(([text, paint]) => paint(text))
        .join("");
      return at === 0 && rows[1] !== undefined && isRule(rows[1]) ? style.bold(cell) : cell;
    }),
  );
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...painted.map((cells, at) => (isRule(rows[at] ?? []) ? 0 : shownWidth(cells[column] ?? "")))),
  );
  if (widths.reduce((sum, one) => sum + one + 2, 0) > width) return `${lines.join("\n")}\n`;
  const shown = painted.map((cells, at) =>
    isRule(rows[at] ?? [])
      ? style.dim(widths.map((one) => "─".repeat(one)).join("  "))
      : cells
          .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - shownWidth(cell)))
          .join("  ")
          .trimEnd(),
  );
  return `${shown.join("\n")}\n`;
}
