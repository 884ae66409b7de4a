import { type Inline, parseInline } from "./inline.ts";

/** A part of a document. */
export type Block =
  | { readonly kind: "paragraph"; readonly text: readonly Inline[] }
  | { readonly kind: "heading"; readonly level: number; readonly text: readonly Inline[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  /** `start` is null for one without numbers. */
  | { readonly kind: "list"; readonly start: number | null; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: "table"; readonly head: Cells; readonly rows: readonly Cells[] }
  | { readonly kind: "rule" };

type Cells = readonly (readonly Inline[])[];

/** Lists and quotes inside each other, beyond which they are text. */
const DEEPEST = 8;

/**
 * Markdown as models write it, as data: headings, lists, tables, code, quotes, emphasis and links. A line break stays one,
 * and HTML is text. Takes time that grows no faster than the text.
 */
export function parseMarkdown(text: string): readonly Block[] {
  return parseBlocks(text.split(/\r\n?|\n/), 0);
}

/** Reads one kind of block at a line; the line after it, or null if none begins there. */
type Reader = (lines: readonly string[], at: number, depth: number) => { block: Block; next: number } | null;

const READERS: readonly Reader[] = [readCode, readHeading, readRule, readQuote, readList, readTable];

function parseBlocks(lines: readonly string[], depth: number): readonly Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) blocks.push({ kind: "paragraph", text: parseInline(paragraph.join("\n")) });
    paragraph = [];
  };
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const found = readBlock(lines, at, depth);
    if (found !== null || line.trim() === "") endParagraph();
    else paragraph.push(line.trim());
    if (found !== null) blocks.push(found.block);
    at = found?.next ?? at + 1;
  }
  endParagraph();
  return blocks;
}

function readBlock(lines: readonly string[], at: number, depth: number): ReturnType<Reader> {
  for (const read of READERS) {
    const found = read(lines, at, depth);
    if (found !== null) return found;
  }
  return null;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;

function readCode(lines: readonly string[], at: number): ReturnType<Reader> {
  const [, fence, language = ""] = FENCE.exec(lines[at] ?? "") ?? [];
  if (fence === undefined) return null;
  const isEnd = (line: string): boolean => {
    const trimmed = line.trim();
    return trimmed.length >= fence.length && trimmed === (fence[0] ?? "").repeat(trimmed.length);
  };
  const inside: string[] = [];
  let next = at + 1;
  for (; next < lines.length && !isEnd(lines[next] ?? ""); next += 1) inside.push(lines[next] ?? "");
  return { block: { kind: "code", language: language.trim(), text: inside.join("\n") }, next: next + 1 };
}

function readHeading(lines: readonly string[], at: number): ReturnType<Reader> {
  const line = lines[at] ?? "";
  const [start, signs] = /^ {0,3}(#{1,6})(?=\s|$)/.exec(line) ?? [];
  if (start === undefined || signs === undefined) return null;
  const words = line
    .slice(start.length)
    .trim()
    .replace(/(?:^|\s)#+$/, "");
  return { block: { kind: "heading", level: signs.length, text: parseInline(words) }, next: at + 1 };
}

function readRule(lines: readonly string[], at: number): ReturnType<Reader> {
  return RULE.test(lines[at] ?? "") ? { block: { kind: "rule" }, next: at + 1 } : null;
}
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

const QUOTED = /^ {0,3}> ?/;

function readQuote(lines: readonly string[], at: number, depth: number): ReturnType<Reader> {
  if (depth >= DEEPEST || !QUOTED.test(lines[at] ?? "")) return null;
  let next = at;
  const inside: string[] = [];
  for (; QUOTED.test(lines[next] ?? ""); next += 1) inside.push((lines[next] ?? "").replace(QUOTED, ""));
  return { block: { kind: "quote", blocks: parseBlocks(inside, depth + 1) }, next };
}

const ITEM = /^( {0,3}(?:([-*+])|(\d{1,9})[.)]))(?:[ \t]+(?=\S)|[ \t]*$)/;

function readList(lines: readonly string[], at: number, depth: number): ReturnType<Reader> {
  const first = depth >= DEEPEST ? null : ITEM.exec(lines[at] ?? "");
  if (first === null) return null;
  const isNumbered = first[3] !== undefined;
  const items: (readonly Block[])[] = [];
  let next = at;
  for (;;) {
    const line = lines[next] ?? "";
    const marker = RULE.test(line) ? null : ITEM.exec(line);
    if (marker === null || (marker[3] !== undefined) !== isNumbered) break;
    const { inside, end } = readItem(lines, next, marker[0].length);
    items.push(parseBlocks(inside, depth + 1));
    next = end;
  }
  return { block: { kind: "list", start: isNumbered ? Number(first[3]) : null, items }, next };
}

/** The lines of an item without their indent: what is indented, and text that goes on without a blank line. */
function readItem(lines: readonly string[], at: number, width: number) {
  const inside = [(lines[at] ?? "").slice(width)];
  let end = at + 1;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? "";
    const indent = line.length - line.trimStart().length;
    const isBlank = line.trim() === "";
    const wasBlank = (lines[end - 1] ?? "").trim() === "";
    if (!isBlank && indent < 2 && (wasBlank || beginsBlock(line))) break;
    inside.push(line.slice(Math.min(indent, width)));
  }
  return { inside, end };
}

function beginsBlock(line: string): boolean {
  return FENCE.test(line) || /^ {0,3}#{1,6}\s/.test(line) || RULE.test(line) || QUOTED.test(line) || ITEM.test(line);
}

function readTable(lines: readonly string[], at: number): ReturnType<Reader> {
  const head = toCells(lines[at] ?? "");
  const under = toCells(lines[at + 1] ?? "");
  const isTable = head.length > 0 && head.length === under.length && under.every((cell) => /^:?-+:?$/.test(cell));
  if (!isTable) return null;
  const rows: Cells[] = [];
  let next = at + 2;
  for (; (lines[next] ?? "").includes("|"); next += 1) {
    const cells = toCells(lines[next] ?? "");
    rows.push(head.map((_, column) => parseInline(cells[column] ?? "")));
  }
  return { block: { kind: "table", head: head.map((cell) => parseInline(cell)), rows }, next };
}

/** The cells of a line; none if it has no bar. */
function toCells(line: string): readonly string[] {
  if (!line.includes("|")) return [];
  const cells = line.trim().split(/(?<!\\)\|/);
  if (cells[0] === "") cells.shift();
  if (cells.at(-1) === "") cells.pop();
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}
