import { dropHiddenParts } from "./clean-text.ts";
import { MOST_LEVELS } from "./json-depth.ts";

export interface CleanData {
  /** The identical value if nothing was removed. */
  readonly value: unknown;
  readonly dropped: number;
}

/** Data without text that a person would not see, in values and field names. Levels too deep to read are left out. */
export function cleanData(value: unknown): CleanData {
  let dropped = 0;
  const clean = (text: string): string => {
    const rest = dropHiddenParts(text);
    dropped += rest.dropped;
    return rest.text;
  };
  const look = (part: unknown, levels: number): unknown => {
    if (typeof part === "string") return clean(part);
    if (typeof part !== "object" || part === null) return part;
    if (levels === 0) {
      dropped += 1;
      return null;
    }
    const before = dropped;
    const cleaned = Array.isArray(part)
      ? part.map((item) => look(item, levels - 1))
      : Object.fromEntries(Object.entries(part).map(([key, inner]) => [clean(key), look(inner, levels - 1)]));
    return dropped === before ? part : cleaned;
  };
  const cleaned = look(value, MOST_LEVELS);
  return { value: cleaned, dropped };
}
