const MAX_QUOTED = 80;
const IDENTIFIER = /^[A-Za-z_$][\w$-]{0,59}$/;

/** The path of a key below another path: `a.b`, or `a["b c"]` if the key is no word. */
export function toPath(path: string, key: string): string {
  if (!IDENTIFIER.test(key)) return `${path}[${quote(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** A key, an index in a list, or none. */
export type PathStep = string | number | null;

export function stepTo(above: string, key: PathStep): string {
  if (key === null) return above;
  return typeof key === "number" ? `${above}[${key}]` : toPath(above, key);
}

/** Untrusted text in a message: shortened, and with nothing that a terminal would act on. */
export function quote(text: string): string {
  return JSON.stringify(cut(text)).replace(/[\p{C}\p{Z}]/gu, (character) =>
    character === " " ? " " : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

export function cut(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED - 3)}…` : text;
}
