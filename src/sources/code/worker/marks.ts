/** A position in the running code, as the engine counts: columns in bytes, from 1, and from 0 on the first line. */
export interface CodePlace {
  readonly line: number;
  readonly column: number;
}

export interface MarkedCode {
  readonly text: string;
  /** The original line and offset for a position that the engine reports. */
  inCode(place: CodePlace): CodePlace;
}

interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * Text around a part of the code. The engine records a position after a `| ` in it, which maps to an offset in the
 * code.
 */
interface Pair extends Part {
  readonly open: string;
  readonly close: string;
  readonly stands: number;
}

/** Text inserted into code so that the engine records a position there. */
export interface Marks {
  lineAt(offset: number): number;
  /** Before a value. */
  before(value: Part): void;
  /** After a value, for what comes next, which is at that offset. */
  after(value: Part, stands: number): void;
  /** Before a statement in a list of them. */
  statement(statement: Part): void;
  /** The text inserted here must not continue the statement before. */
  apart(offset: number): void;
  around(value: Part, open: string, close: string, stands: number): void;
  /**
   * The engine records a position at this token, for what is at that offset. It knows the column only after a space.
   */
  token(offset: number, stands: number): void;
  write(): MarkedCode;
}

export function createMarks(text: string): Marks {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const pairs: Pair[] = [];
  const tokens = new Map<number, number>();
  const ends = new Set<number>();
  const around: Marks["around"] = ({ start, end }, open, close, stands) =>
    void pairs.push({ start, end, open, close, stands });
  const lineAt = (offset: number): number => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
  return {
    around,
    before: (value) => around(value, "(0| 0,", ")", value.start),
    after: (value, stands) => around(value, "[", ",0| 0][0]", stands),
    apart: (offset) => void ends.add(offset),
    statement: ({ start }) => around({ start, end: start }, "0;", "", start),
    lineAt,
    token: (offset, stands) => void tokens.set(offset, stands),
    write() {
      const places = new Map<number, number>();
      const marked = join(text, pairs, { tokens, ends }, places);
      const offsets = byPlace(marked, places);
      return {
        text: marked,
        inCode({ line, column }) {
          const offset = offsets.get(`${line}:${column}`);
          if (offset === undefined) return { line, column: 0 };
          const at = lineAt(offset);
          return { line: at, column: offset - (starts[at - 1] ?? 0) };
        },
      };
    },
  };
}

/** Inserts the pairs into the text, outer ones around inner ones; `places` receives the mapping of offsets. */
function join(
  text: string,
  pairs: readonly Pair[],
  { tokens, ends }: { readonly tokens: ReadonlyMap<number, number>; readonly ends: ReadonlySet<number> },
  places: Map<number, number>,
): string {
  const outerFirst = [...pairs].reverse().sort((a, b) => b.end - a.end);
  const innerFirst = [...pairs].sort((a, b) => b.start - a.start);
  const [opens, closes] = [groupBy(outerFirst, "start"), groupBy(innerFirst, "end")];
  const offsets = [...new Set([...opens.keys(), ...closes.keys(), ...tokens.keys()])].sort((a, b) => a - b);
  let [marked, from] = ["", 0];
  const put = (added: string, stands: number): void => {
    const mark = added.indexOf("| ");
    if (mark >= 0) places.set(marked.length + mark + 2, stands);
    marked += added;
  };
  for (const at of offsets) {
    marked += text.slice(from, at);
    from = at;
    for (const { close, stands } of closes.get(at) ?? []) put(close, stands);
    const opened = opens.get(at) ?? [];
    if (ends.has(at) && opened.length > 0) put(";", at);
    const stands = tokens.get(at);
    if (stands !== undefined) {
      put(" ", at);
      places.set(marked.length, stands);
    }
    for (const { open, stands } of opened) put(open, stands);
  }
  return marked + text.slice(from);
}

function groupBy(pairs: readonly Pair[], side: "start" | "end"): ReadonlyMap<number, readonly Pair[]> {
  const groups = new Map<number, Pair[]>();
  for (const pair of pairs) groups.set(pair[side], [...(groups.get(pair[side]) ?? []), pair]);
  return groups;
}

/** Offsets as the engine reports them. */
function byPlace(text: string, offsets: ReadonlyMap<number, number>): ReadonlyMap<string, number> {
  const byPlaces = new Map<string, number>();
  let [row, start, counted, bytes] = [1, 0, 0, 0];
  let end = text.indexOf("\n");
  for (const [offset, stands] of [...offsets].sort(([a], [b]) => a - b)) {
    for (; end >= 0 && end < offset; end = text.indexOf("\n", start)) {
      row += 1;
      start = end + 1;
      [counted, bytes] = [start, 0];
    }
    bytes += Buffer.byteLength(text.slice(counted, offset));
    counted = offset;
    byPlaces.set(`${row}:${bytes + (row === 1 ? 0 : 1)}`, stands);
  }
  return byPlaces;
}
