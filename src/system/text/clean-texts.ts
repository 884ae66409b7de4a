import { isRecord } from "../../core/shape/is-record.ts";
import { dropHiddenParts } from "./clean-text.ts";

/** Fields that people and models read. Names and values that programs compare are not among them. */
const TEXTS: ReadonlySet<string> = new Set(["text", "title", "description", "message", "systemPrompt"]);
/** Lists of such texts. */
const TEXT_LISTS: ReadonlySet<string> = new Set(["enumNames"]);
/** Fields that are read as data. */
const DATA: ReadonlySet<string> = new Set(["_meta", "input", "structuredContent"]);
/** Here keys are names that the server chose, without a meaning of their own. */
const NAMED = "properties";
/** Nothing that a client shows is deeper. */
const MOST_LEVELS = 32;

interface CleanTexts<T> {
  /** The identical value if nothing was removed. */
  readonly value: T;
  readonly dropped: number;
}

/** Removes what a person would not see from everything that a person or a model will read. */
export function cleanTexts<T extends object>(value: T, more: readonly string[] = []): CleanTexts<T> {
  let dropped = 0;
  const clean = (text: string): string => {
    const rest = dropHiddenParts(text);
    dropped += rest.dropped;
    return rest.text;
  };
  const look = (part: unknown, levels: number, isNamed = false): unknown => {
    if (levels === 0) return part;
    if (Array.isArray(part)) return part.map((item) => look(item, levels - 1));
    if (!isRecord(part)) return part;
    const entries = Object.entries(part).map(([key, inner]): [string, unknown] => {
      if (typeof inner === "string") return [key, TEXTS.has(key) || more.includes(key) ? clean(inner) : inner];
      if (DATA.has(key) && !isNamed) return [key, inner];
      if (TEXT_LISTS.has(key) && Array.isArray(inner))
        return [key, inner.map((item) => (typeof item === "string" ? clean(item) : item))];
      return [key, look(inner, levels - 1, key === NAMED && !isNamed)];
    });
    return Object.fromEntries(entries);
  };
  const cleaned = look(value, MOST_LEVELS);
  // The shape is unchanged: only texts in it are shorter.
  return dropped === 0 ? { value, dropped } : { value: cleaned as T, dropped };
}
