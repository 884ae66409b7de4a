import type { FoundKind, Sieve } from "./filter.ts";
import { type KindRange, type MaskStyle, maskText } from "./mask-text.ts";

export interface Sifted {
  /** Without what has to be masked or blocked; the identical value if there is none. */
  readonly value: unknown;
  readonly found: readonly FoundKind[];
}

/** Looks through one call or result, whose texts often come several times. */
export interface Sifter {
  sift(value: unknown, style?: MaskStyle): Sifted;
  /** As `sift`, for one text that is the value of no field. */
  text(text: string): { readonly text: string; readonly found: readonly FoundKind[] };
}

const MOST_LEVELS = 64;
/** Shorter texts are looked at again sooner than remembered. */
const LEAST_REMEMBERED = 64;

interface Looked {
  readonly text: string;
  readonly counts: readonly (readonly [sieve: Sieve, count: number])[];
}

export function createSifter(sieves: readonly Sieve[]): Sifter {
  const remembered = new Map<string, Looked>();
  const least = Math.min(...sieves.map(({ finder }) => finder.leastDigits));
  const look = (text: string, about: string, style: MaskStyle): Looked => {
    if (text.length < LEAST_REMEMBERED) return lookAt(text, about, style, sieves);
    const key = `${style} ${about.length} ${about} ${text}`;
    const known = remembered.get(key) ?? lookAt(text, about, style, sieves);
    remembered.set(key, known);
    return known;
  };
  const walk = (root: unknown, style: MaskStyle): Sifted => {
    const counts = new Map<Sieve, number>();
    const take = (text: string, about: string): string => {
      const looked = look(text, about, style);
      for (const [sieve, count] of looked.counts) counts.set(sieve, (counts.get(sieve) ?? 0) + count);
      return looked.text;
    };
    /** A number has no room for words. */
    const number = (part: number, about: string): number => {
      const digits = Number.isSafeInteger(part) ? String(Math.abs(part)) : "";
      if (digits.length < least) return part;
      const fitting = sieves.filter(({ finder }) => finder.leastDigits <= digits.length);
      const looked = lookAt(digits, about, style, fitting);
      for (const [sieve, count] of looked.counts) counts.set(sieve, (counts.get(sieve) ?? 0) + count);
      return looked.text === digits ? part : 0;
    };
    const value = siftPart(root, "", MOST_LEVELS, { take, number });
    return { value, found: toFindings(counts) };
  };
  return {
    sift: (value, style = "named") => (sieves.length === 0 ? { value, found: [] } : walk(value, style)),
    text(text) {
      const looked = look(text, "", "named");
      return { text: looked.text, found: toFindings(new Map(looked.counts)) };
    },
  };
}

interface Taking {
  readonly take: (text: string, about: string) => string;
  readonly number: (value: number, about: string) => number;
}

/** What is nested too deeply to be looked at is left out, since it could hold anything. */
function siftPart(part: unknown, about: string, levels: number, taking: Taking): unknown {
  if (typeof part === "string") return taking.take(part, about);
  if (typeof part === "number") return taking.number(part, about);
  if (typeof part !== "object" || part === null) return part;
  if (levels === 0) return null;
  if (Array.isArray(part)) {
    const items = part.map((item: unknown) => siftPart(item, about, levels - 1, taking));
    return items.every((item, at) => item === part[at]) ? part : items;
  }
  let isChanged = false;
  const entries = Object.entries(part).map(([key, inner]): [string, unknown] => {
    const own = taking.take(key, "");
    const sifted = siftPart(inner, key, levels - 1, taking);
    if (own !== key || sifted !== inner) isChanged = true;
    return [own, sifted];
  });
  return isChanged ? Object.fromEntries(withoutTwins(entries)) : part;
}

/** Two names that say the same once they are masked must not cost a value. */
function withoutTwins(entries: readonly [string, unknown][]): readonly [string, unknown][] {
  const taken = new Map<string, number>();
  return entries.map(([key, value]) => {
    const times = (taken.get(key) ?? 0) + 1;
    taken.set(key, times);
    return [times === 1 ? key : `${key} ${times}`, value];
  });
}

function lookAt(text: string, about: string, style: MaskStyle, sieves: readonly Sieve[]): Looked {
  const spans: KindRange[] = [];
  const counts: [Sieve, number][] = [];
  for (const sieve of sieves) {
    const found = sieve.finder.find(text, about);
    if (found.length === 0) continue;
    counts.push([sieve, found.length]);
    if (sieve.act === "note") continue;
    for (const { from, to } of found) spans.push({ from, to, kind: sieve.finder.kind });
  }
  return { text: spans.length === 0 ? text : maskText(text, spans, style), counts };
}

function toFindings(counts: ReadonlyMap<Sieve, number>): readonly FoundKind[] {
  return [...counts].map(
    ([
      {
        finder: { kind },
        act,
        origin,
      },
      count,
    ]) => ({ kind, count, act, origin }),
  );
}
