import { RE2JS } from "re2js";

/** Longer patterns are refused: they are no way to find a tool, and compiling them is expensive. */
const MAX_PATTERN = 500;
const MAX_TEXT = 400;
/** Characters one query may examine in all. Names come before descriptions, so that they are always reached. */
const MAX_CHARACTERS = 2_000_000;

export type RegexMatch<T> =
  | { readonly ok: true; readonly found: readonly T[]; readonly complete: boolean }
  | { readonly ok: false; readonly text: string };

/**
 * Matches in names first and then in descriptions, each in the given order. The engine is linear for every pattern, and
 * the examined text is capped.
 */
export function matchRegex<T extends { readonly name: string; readonly description: string }>(
  pattern: string,
  tools: readonly T[],
): RegexMatch<T> {
  if (pattern.length > MAX_PATTERN) return { ok: false, text: `a pattern may have ${MAX_PATTERN} characters` };
  const compiled = compile(pattern);
  if (typeof compiled === "string") return { ok: false, text: compiled };
  const named = new Set(tools.filter(({ name }) => compiled.matcher(name).find()));
  const described: T[] = [];
  let left = MAX_CHARACTERS;
  for (const tool of tools) {
    if (named.has(tool)) continue;
    const text = tool.description.slice(0, MAX_TEXT);
    left -= text.length;
    if (left < 0) return { ok: true, found: [...named, ...described], complete: false };
    if (compiled.matcher(text).find()) described.push(tool);
  }
  return { ok: true, found: [...named, ...described], complete: true };
}

function compile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
