/** The outcome of a replacement; line numbers count from 1. */
export type Replacement =
  | { readonly kind: "done"; readonly bytes: Buffer; readonly lines: readonly number[] }
  | { readonly kind: "missing" }
  | { readonly kind: "several"; readonly lines: readonly number[] };

const LF = 0x0a;
const CR = 0x0d;

/**
 * Replaces text in a file byte for byte, so that everything around it stays the same: encoding, byte order mark, final
 * newline. If all lines of the file end in CRLF, or all in LF, both texts take on that ending first.
 */
export function replaceText(file: Buffer, oldText: string, newText: string, all: boolean): Replacement {
  const toEnding = toEndingOf(file);
  const [old, fresh] = [Buffer.from(toEnding(oldText), "utf8"), Buffer.from(toEnding(newText), "utf8")];
  const places = placesOf(file, old);
  if (places.length === 0) return { kind: "missing" };
  const lines = lineNumbers(file, places);
  if (places.length > 1 && !all) return { kind: "several", lines };
  const parts: Buffer[] = [];
  let rest = 0;
  for (const place of places) {
    parts.push(file.subarray(rest, place), fresh);
    rest = place + old.length;
  }
  return { kind: "done", bytes: Buffer.concat([...parts, file.subarray(rest)]), lines };
}

/** How often each line ending occurs in a file. */
export function countEndings(file: Buffer): { readonly crlf: number; readonly lf: number } {
  let [crlf, lf] = [0, 0];
  for (let at = file.indexOf(LF); at >= 0; at = file.indexOf(LF, at + 1)) {
    if (at > 0 && file[at - 1] === CR) crlf += 1;
    else lf += 1;
  }
  return { crlf, lf };
}

/** Gives a text the line endings of a file. For a mixed file, or one of a single line, the text stays as it is. */
export function toEndingOf(file: Buffer): (text: string) => string {
  const { crlf, lf } = countEndings(file);
  if (crlf > 0 && lf === 0) return (text) => text.replace(/\r?\n/g, "\r\n");
  if (lf > 0 && crlf === 0) return (text) => text.replaceAll("\r\n", "\n");
  return (text) => text;
}

function placesOf(file: Buffer, old: Buffer): number[] {
  const places: number[] = [];
  for (let at = file.indexOf(old); at >= 0; at = file.indexOf(old, at + old.length)) places.push(at);
  return places;
}

function lineNumbers(file: Buffer, places: readonly number[]): number[] {
  let [line, seen] = [1, 0];
  return places.map((place) => {
    for (let at = file.indexOf(LF, seen); at >= 0 && at < place; at = file.indexOf(LF, seen)) {
      line += 1;
      seen = at + 1;
    }
    return line;
  });
}
