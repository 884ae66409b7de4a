import { type Hunk, PatchProblem } from "./patch.ts";

const BOM = "\uFEFF";

/**
 * The text of a file after its hunks. A hunk applies at the first place after the previous hunk where its context and
 * removed lines occur in sequence; only whitespace at line ends may differ. Context keeps the file's own bytes, as do
 * line endings, the byte order mark and a missing final newline.
 */
export function applyHunks(text: string, hunks: readonly Hunk[], path: string): string {
  const bom = text.startsWith(BOM) ? BOM : "";
  const body = text.slice(bom.length);
  const endsOpen = body !== "" && !body.endsWith("\n");
  const lines = body.split("\n");
  if (!endsOpen) lines.pop();
  const ending =
    lines.length > 0 && lines.every((line, at) => line.endsWith("\r") || (endsOpen && at === lines.length - 1));
  const carriage = ending && (lines.length > 1 || !endsOpen) ? "\r" : "";
  const result: string[] = [];
  let done = 0;
  hunks.forEach((hunk, index) => {
    const where = `Update File ${path}, hunk ${index + 1}`;
    const start = findHunk(lines, hunk, done, where);
    for (; done < start; done += 1) result.push(lines[done] ?? "");
    for (const { kind, text: line } of hunk.lines) {
      if (kind === "add") result.push(line + carriage);
      else {
        if (kind === "context") result.push(lines[done] ?? "");
        done += 1;
      }
    }
  });
  for (; done < lines.length; done += 1) result.push(lines[done] ?? "");
  if (result.length === 0) return bom;
  // Without a final newline, the last line has no carriage return either, wherever it came from.
  const closed = endsOpen ? result.map((line, at) => closeLine(line, at === result.length - 1, carriage)) : result;
  return bom + closed.join("\n") + (endsOpen ? "" : "\n");
}

function closeLine(line: string, isLast: boolean, carriage: string): string {
  if (carriage === "") return line;
  if (isLast) return line.endsWith(carriage) ? line.slice(0, -1) : line;
  return line.endsWith(carriage) ? line : line + carriage;
}

function findHunk(lines: readonly string[], hunk: Hunk, from: number, where: string): number {
  let start = from;
  for (const header of hunk.headers) {
    const found = findHeader(lines, header, start);
    if (found < 0) throw new PatchProblem(`${where}: no line "${header}" after line ${start}.`);
    start = found + 1;
  }
  const wanted = hunk.lines.filter(({ kind }) => kind !== "add").map(({ text }) => text);
  if (wanted.length === 0) return hunk.headers.length > 0 ? start : lines.length;
  // A header may be repeated as the first line of its hunk.
  const earliest = hunk.headers.length > 0 ? Math.max(from, start - 1) : start;
  const found = findRun(lines, wanted, earliest, hunk.atEnd);
  if (found >= 0) return found;
  const before = findRun(lines, wanted, 0, hunk.atEnd);
  const hint =
    before >= 0
      ? ` They are at line ${before + 1}, before that: hunks must follow the order of the file.`
      : nearestHint(lines, wanted);
  throw new PatchProblem(
    `${where}: its ${wanted.length === 1 ? "line does" : "lines do"} not occur after line ${earliest}${hunk.atEnd ? ", at the end of the file" : ""}.${hint}`,
  );
}

/** Exact first, then ignoring whitespace at line ends. */
function findRun(lines: readonly string[], wanted: readonly string[], from: number, atEnd: boolean): number {
  const last = lines.length - wanted.length;
  const first = atEnd ? Math.max(from, last) : from;
  for (const same of [isSame, isSameTrimmed]) {
    for (let start = first; start <= last; start += 1) {
      if (wanted.every((line, at) => same(lines[start + at] ?? "", line))) return start;
    }
  }
  return -1;
}

/** The text after `@@` names a line by its content, whatever its indentation. */
function findHeader(lines: readonly string[], header: string, from: number): number {
  return lines.findIndex((line, at) => at >= from && line.trim() === header.trim());
}

function nearestHint(lines: readonly string[], wanted: readonly string[]): string {
  const first = wanted.findIndex((line) => line.trim() !== "");
  const key = wanted[first]?.trim();
  const at = lines.findIndex((line) => line.trim() === key);
  if (key === undefined || at < 0) return " View the file and send the lines as they are.";
  const wrong = wanted.findIndex((line, offset) => !isSameTrimmed(lines[at - first + offset] ?? "", line));
  if (wrong < 0) return " View the file and send the lines as they are.";
  const line = at - first + wrong;
  return ` The nearest place differs at line ${line + 1}, which is ${JSON.stringify(lines[line] ?? "")}, not ${JSON.stringify(wanted[wrong])}.`;
}

function isSame(line: string, wanted: string): boolean {
  return line === wanted;
}

function isSameTrimmed(line: string, wanted: string): boolean {
  return line.trimEnd() === wanted.trimEnd();
}
