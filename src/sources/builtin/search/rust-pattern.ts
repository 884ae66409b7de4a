/** RE2 applies these to ASCII only; in Rust they cover all of Unicode. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ["d", "0-9"],
  ["w", "0-9A-Za-z_"],
  ["s", "\\t\\n\\f\\r "],
]);
/** Either unknown to one of the engines, or anchored to the whole text in one and to a line in the other. */
const ELSEWHERE = new Set(["A", "B", "C", "E", "Q", "z", "Z"]);

/**
 * Converts an RE2 pattern for a Rust engine, so that it matches wherever the original does; null if that is uncertain.
 * Rust reads more into character classes, and knows more letters.
 */
export function toRustPattern(pattern: string): string | null {
  let rust = "";
  let inClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === "\\") {
      at += 1;
      const escaped = toRustEscape(pattern.charAt(at), inClass);
      if (escaped === null) return null;
      rust += escaped;
      continue;
    }
    if (inClass) {
      const named = /^\[:\^?[a-z]+:\]/u.exec(pattern.slice(at))?.[0];
      if (named !== undefined) {
        rust += named;
        at += named.length - 1;
        continue;
      }
      if (character === "[" || /^(?:&&|--|~~)/u.test(pattern.slice(at))) return null;
      if (character === "]") inClass = false;
    } else if (character === "[") {
      const opening = /^\[\^?\]?/u.exec(pattern.slice(at))?.[0] ?? character;
      inClass = true;
      rust += opening;
      at += opening.length - 1;
      continue;
    }
    rust += character;
  }
  return rust;
}

function toRustEscape(letter: string, inClass: boolean): string | null {
  if (letter === "" || ELSEWHERE.has(letter)) return null;
  const members = CLASSES.get(letter);
  if (members !== undefined) return inClass ? members : `[${members}]`;
  const others = CLASSES.get(letter.toLowerCase());
  if (others !== undefined) return inClass ? null : `[^${others}]`;
  if (letter === "b") return inClass ? null : "(?-u:\\b)";
  return `\\${letter}`;
}
