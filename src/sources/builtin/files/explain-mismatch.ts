/** Longer files are not compared line by line: that would take longer than viewing the file again. */
const MAX_COMPARED_CHARACTERS = 2_000_000;
const MAX_LINE_LENGTH = 400;
const MAX_SHOWN_LINES = 12;
/** Lines less similar than this do not help a reader. */
const LEAST_LIKENESS = 0.5;
const NEAREST = 3;

interface Match {
  /** Counted from 0. */
  readonly start: number;
  readonly length: number;
}

/** Why `wanted` is not in `text`, as sentences that help to get it right next time. */
export function explainMismatch(text: string, wanted: string): string {
  const numbered = wanted.replace(/^ *\d+\t/gm, "");
  if (numbered !== wanted && text.includes(numbered)) {
    return "It carries the line numbers that view shows; leave them out.";
  }
  const unescaped = wanted.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll('\\"', '"');
  if (unescaped !== wanted && text.includes(unescaped)) {
    return 'It holds escaped characters (\\n, \\t or \\") where the file has the real ones.';
  }
  if (text.includes(wanted.trim()) && wanted.trim() !== "") {
    return "It would be found without the blanks or line breaks at its start or end.";
  }
  if (text.length > MAX_COMPARED_CHARACTERS) return "The file is too long to say what is near it; look with grep.";
  const lines = text.split(/\r?\n/);
  return explainBlanks(lines, wanted) ?? explainNearest(lines, wanted);
}

/** The same words with other whitespace: the usual slip, and easy to fix once the lines are shown. */
function explainBlanks(lines: readonly string[], wanted: string): string | null {
  const wantedLines = wanted.replace(/\r?\n$/, "").split(/\r?\n/);
  const match = findLines(lines.map(squeeze), wantedLines.map(squeeze));
  if (match === null) return null;
  const found = lines.slice(match.start, match.start + match.length);
  const hints = [
    ...(found.some((line, at) => indentOf(line) !== indentOf(wantedLines[at] ?? ""))
      ? [indentHint(found, wantedLines)]
      : []),
    ...(found.some((line, at) => line !== line.trimEnd() && wantedLines[at] !== line) ? ["blanks at line ends"] : []),
  ];
  const why = hints.length > 0 ? hints.join(" and ") : "blanks inside the lines";
  return `Lines ${match.start + 1} to ${match.start + match.length} differ only in whitespace (${why}):\n${show(lines, match)}`;
}

function explainNearest(lines: readonly string[], wanted: string): string {
  const key = longestOf(wanted.split(/\r?\n/).map((line) => line.trim().slice(0, MAX_LINE_LENGTH)));
  if (key === "") return "It holds nothing but whitespace.";
  const pairs = pairsOf(key);
  const near = lines
    .map((line, start) => ({ start, length: 1, likeness: likeness(pairs, line.trim().slice(0, MAX_LINE_LENGTH)) }))
    .filter((match) => match.likeness >= LEAST_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness || a.start - b.start)
    .slice(0, NEAREST);
  if (near.length === 0) return "No line of the file is like it; view the file to see what it holds.";
  return `The nearest lines are:\n${near.map((match) => show(lines, match)).join("\n")}`;
}

function findLines(lines: readonly string[], wanted: readonly string[]): Match | null {
  if (wanted.every((line) => line === "")) return null;
  const start = lines.findIndex((_, at) => wanted.every((line, offset) => lines[at + offset] === line));
  return start < 0 ? null : { start, length: wanted.length };
}

function show(lines: readonly string[], { start, length }: Match): string {
  const shown = lines.slice(start, start + Math.min(length, MAX_SHOWN_LINES));
  return shown.map((line, at) => `${start + at + 1}\t${line.slice(0, MAX_LINE_LENGTH)}`).join("\n");
}

function squeeze(line: string): string {
  return line.trim().replace(/\s+/g, " ");
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? "";
}

function indentHint(found: readonly string[], wanted: readonly string[]): string {
  const style = (lines: readonly string[]) => (lines.some((line) => line.startsWith("\t")) ? "tabs" : "spaces");
  const [has, sent] = [style(found), style(wanted)];
  return has === sent ? "indentation" : `indentation: the file uses ${has}, the text ${sent}`;
}

function longestOf(lines: readonly string[]): string {
  return lines.reduce((longest, line) => (line.length > longest.length ? line : longest), "");
}

/** Counts of adjacent letter pairs; the number that two lines share measures their similarity. */
function pairsOf(line: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at < line.length; at += 1) {
    const pair = line.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function likeness(pairs: ReadonlyMap<string, number>, line: string): number {
  const left = new Map(pairs);
  let [shared, wanted] = [0, 0];
  for (const count of pairs.values()) wanted += count;
  for (let at = 0; at < line.length; at += 1) {
    const pair = line.slice(at, at + 2);
    const count = left.get(pair) ?? 0;
    if (count === 0) continue;
    left.set(pair, count - 1);
    shared += 1;
  }
  return (2 * shared) / (wanted + line.length);
}
