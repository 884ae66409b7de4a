import type { TextPiece } from "./definition-texts.ts";
import type { Reading } from "./read-sentence.ts";

/** What of a sentence a weight can be learned for, each once. */
export interface Evidence {
  /** Its words, without endings. */
  readonly words: ReadonlySet<string>;
  /** Two words that stand side by side. */
  readonly pairs: ReadonlySet<string>;
  /** The classes of all its words, and of those where an order can begin. */
  readonly has: number;
  readonly opens: number;
  /** By class, the classes of the few words after one of it. */
  readonly near: Int32Array;
}

const REACH = 4;
const CLASSES = 31;

export function toEvidence({ words, classes, opens: starts, has }: Reading): Evidence {
  const stems = words.map(toStem);
  const pairs = new Set<string>();
  const near = new Int32Array(CLASSES);
  let opens = 0;
  for (let at = 0; at < stems.length; at++) {
    if (at + 1 < stems.length) pairs.add(`${stems[at]} ${stems[at + 1]}`);
    const own = classes[at] ?? 0;
    if (own === 0) continue;
    if (starts[at] !== 0) opens |= own;
    let after = 0;
    for (let next = at + 1; next <= at + REACH && next < classes.length; next++) after |= classes[next] ?? 0;
    for (let bits = own; bits !== 0; bits &= bits - 1) {
      const place = toPlace(bits);
      near[place] = (near[place] ?? 0) | after;
    }
  }
  return { words: new Set(stems), pairs, has, opens, near };
}

/** The place of the lowest class of some. */
export function toPlace(classes: number): number {
  return 31 - Math.clz32(classes & -classes);
}

/** Where a sentence stands, as far as it matters to its weight. */
export type Standing = "opening" | "description" | "parameter" | "key" | "schema";

export function toStanding(kind: TextPiece["kind"], opening: boolean): Standing {
  if (opening) return "opening";
  if (kind === "title" || kind === "description") return "description";
  return kind === "switch" ? "schema" : kind;
}

/** A name of a few words and a word alone say too little. */
export function isWeighed({ words }: Reading, kind: TextPiece["kind"]): boolean {
  return words.length >= (kind === "key" ? 3 : 2);
}

/** The same words come again and again. */
const known = new Map<string, string>();
const MAX_KNOWN = 5_000;

function toStem(word: string): string {
  const earlier = known.get(word);
  if (earlier !== undefined) return earlier;
  if (known.size >= MAX_KNOWN) known.clear();
  const stem = dropEnding(word);
  known.set(word, stem);
  return stem;
}

/** `sending` and `sends` as `send`, every number as `0`. */
function dropEnding(word: string): string {
  const short = word.replace(/\d+/gu, "0").slice(0, 20);
  if (short.length <= 4 || !/^[a-z]+$/u.test(short)) return short;
  return short.replace(/(?:ing|ed|es|s|ly)$/u, "").replace(/e$/u, "");
}
