/** Far deeper than any honest message, and shallow enough for recursive code. */
export const MOST_LEVELS = 1_000;

/** A level takes two brackets, so nothing of this length or less is too deep. */
const NEVER_TOO_DEEP = 2 * MOST_LEVELS;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether JSON is nested so deep that code working on it could run out of stack. */
export function isTooDeep(json: string): boolean {
  return json.length > NEVER_TOO_DEEP && depthAfter(json, 0) === Number.POSITIVE_INFINITY;
}

/** The level at the end of a piece of JSON that began at this one; infinite once it was too deep. One linear pass. */
export function depthAfter(piece: string, level: number): number {
  for (let at = 0; at < piece.length; at++) {
    switch (piece.charCodeAt(at)) {
      case QUOTE:
        at = endOfText(piece, at);
        break;
      case 0x5b:
      case 0x7b:
        level += 1;
        if (level > MOST_LEVELS) return Number.POSITIVE_INFINITY;
        break;
      case 0x5d:
      case 0x7d:
        level -= 1;
    }
  }
  return level;
}

/** The end of the string that begins here: the next quote with an even number of backslashes before it. */
function endOfText(piece: string, start: number): number {
  for (let end = piece.indexOf('"', start + 1); end >= 0; end = piece.indexOf('"', end + 1)) {
    let escapes = 0;
    while (piece.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return piece.length;
}
