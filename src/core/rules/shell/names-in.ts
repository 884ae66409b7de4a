/** No path is longer. */
const MAX_NAME = 4_096;
/** Nobody passes more names in one word; bounds the cost. */
const MOST_NAMES = 48;
const SEPARATOR = /[=@:,;<>|"'`]/;
const SEPARATORS = new RegExp(SEPARATOR, "g");

/** An upper bound of the names in a word, for limiting the work. */
export function countNames(text: string): number {
  return Math.min(MOST_NAMES, 1 + 2 * (text.match(SEPARATORS)?.length ?? 0));
}

/**
 * Names inside a word: `--file=x`, `@x`, `label:@x`, `id=a,src=x`, `{file}:///x`. Null if there are too many to
 * examine.
 */
export function namesIn(text: string): readonly string[] | null {
  if (!SEPARATOR.test(text)) return [text];
  const found = new Set([text]);
  let start = -1;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && !SEPARATOR.test(text[at] ?? "")) continue;
    if (at > start + 1) {
      // The part before `=` is a key, not a file: `--set tls.key=x`.
      if (text[at] !== "=") found.add(text.slice(start + 1, at));
      if (text.length - start <= MAX_NAME) found.add(text.slice(start + 1));
      if (found.size > MOST_NAMES) return null;
    }
    start = at;
  }
  return [...found].flatMap((name) => (name.includes("%") ? [name, decoded(name)] : [name]));
}

/** Addresses may spell any letter as `%2e`. */
function decoded(name: string): string {
  return name.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Quoted strings in any language: scripts name their files like this. */
export function quotedIn(script: string): readonly string[] {
  const pieces = script.split(/["'`]/, 2 * MOST_NAMES);
  return pieces.length < 2 ? [] : pieces.slice(1);
}

/** Words of a script whose language has files without quotes: `.read x`, `\copy t from x`, `:e x`. */
export function wordsIn(script: string): readonly string[] {
  return script.split(/[\s"'`();]+/, 2 * MOST_NAMES);
}
