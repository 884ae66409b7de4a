import type { RE2JS } from "re2js";
import type { Finder, TextRange } from "./filter.ts";

let engine: typeof RE2JS | null = null;

/** The engine that runs patterns in linear time is large, so it is loaded when a filter has one. */
export async function loadPatternEngine(): Promise<void> {
  engine ??= (await import("re2js")).RE2JS;
}

/** More than this in one text is a pattern that matches everything. */
const MOST_MATCHES = 10_000;

/** Throws what is wrong with the pattern. `loadPatternEngine` comes first. */
export function findByPattern(kind: string, pattern: string): Finder {
  if (engine === null) throw new Error("the engine for patterns is not loaded");
  const compiled = engine.compile(pattern);
  const find = (text: string): readonly TextRange[] => {
    const matcher = compiled.matcher(text);
    const found: TextRange[] = [];
    while (matcher.find()) {
      const [from, to] = [matcher.start(), matcher.end()];
      if (to === from) continue;
      if (found.length === MOST_MATCHES) return [{ from: 0, to: text.length }];
      found.push({ from, to });
    }
    return found;
  };
  return { kind, find, leastDigits: 1 };
}
