import type { Tool } from "../tool/tool.ts";

/** The tools of a catalog as they arrived, so that the next one sees at a glance which are the same. */
export interface Arrivals {
  readonly tools: readonly Tool[];
  /** For each of them its position among the entries; `NOWHERE` for the search tool. */
  readonly positions: Int32Array;
  /** Servers whose names a tool could spell. */
  readonly servers: ReadonlySet<string | null>;
}

export const NOWHERE = -1;

/** Of the entries of a catalog, where each tool arrived now, or `NOWHERE`; and where tools arrived that are not among them. */
export interface Matched {
  readonly arrivals: Int32Array;
  readonly fresh: readonly number[];
}

/** Most lists begin and end as before, so only what lies between is looked up. */
export function matchArrivals({ tools: before, positions }: Arrivals, count: number, tools: readonly Tool[]): Matched {
  const arrivals = new Int32Array(count).fill(NOWHERE);
  const fresh: number[] = [];
  const place = (at: number, earlier: number): void => {
    const position = positions[earlier] ?? NOWHERE;
    if (position === NOWHERE || arrivals[position] !== NOWHERE) fresh.push(at);
    else arrivals[position] = at;
  };
  let start = 0;
  for (; start < tools.length && tools[start] === before[start]; start++) place(start, start);
  const shift = before.length - tools.length;
  let end = tools.length;
  while (end > start && end + shift > start && tools[end - 1] === before[end - 1 + shift]) end -= 1;
  const between = new Map<Tool | undefined, number>();
  for (let at = start; at < end + shift; at++) between.set(before[at], at);
  for (let at = start; at < end; at++) place(at, between.get(tools[at]) ?? NOWHERE);
  for (let at = end; at < tools.length; at++) place(at, at + shift);
  return { arrivals, fresh };
}
