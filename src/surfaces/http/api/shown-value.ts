import { revealText } from "../../../system/text/reveal-text.ts";

/** How much of a value is shown to people. */
export interface ShownLimits {
  readonly characters: number;
  readonly values: number;
}

const MAX_DEPTH = 12;
const CUT = "… (cut)";

/**
 * A copy of a value for people: without invisible characters, and never larger than the limits, whatever a model or a
 * server put into it. What is left out is marked.
 */
export function toShown(value: unknown, limits: ShownLimits): unknown {
  let characters = limits.characters;
  let values = limits.values;
  const text = (whole: string): string => {
    const kept = whole.length > characters ? whole.slice(0, characters) : whole;
    characters -= kept.length;
    // Revealing copies what it changes; a cut text is copied so that the rest can be freed.
    return kept === whole ? revealText(whole) : `${revealText(Buffer.from(kept, "utf16le").toString("utf16le"))}${CUT}`;
  };
  const copy = (given: unknown, depth: number): unknown => {
    values -= 1;
    if (values < 0 || characters <= 0) return CUT;
    if (typeof given === "string") return text(given);
    if (typeof given !== "object" || given === null) return isPlain(given) ? given : String(given);
    if (depth >= MAX_DEPTH) return CUT;
    if (Array.isArray(given)) return copyItems(given, depth);
    const pairs: [string, unknown][] = [];
    for (const [key, member] of Object.entries(given)) {
      if (values <= 0 || characters <= 0) {
        pairs.push([CUT, null]);
        break;
      }
      pairs.push([text(key), copy(member, depth + 1)]);
    }
    return Object.fromEntries(pairs);
  };
  const copyItems = (items: readonly unknown[], depth: number): readonly unknown[] => {
    const copied: unknown[] = [];
    for (const item of items) {
      copied.push(copy(item, depth + 1));
      if (values <= 0 || characters <= 0) break;
    }
    return copied.length < items.length ? [...copied, CUT] : copied;
  };
  return copy(value, 0);
}

function isPlain(value: unknown): boolean {
  return value === null || value === undefined || typeof value === "boolean" || Number.isFinite(value);
}

/** A slice of a large text keeps all of it in memory, unless it is copied. */
export function cutCopy(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${Buffer.from(text.slice(0, most), "utf16le").toString("utf16le")}…`;
}
