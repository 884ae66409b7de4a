/** `$'…'` after decoding, and whether its text is certain (bytes above 127 depend on the encoding). */
export interface AnsiCText {
  readonly text: string;
  readonly certain: boolean;
}

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["e", "\u001b"],
  ["E", "\u001b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["?", "?"],
]);

const NUMERIC = /x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}/y;

/** Decodes the text between `$'` and `'`. A NUL ends it, as it does in bash. */
export function decodeAnsiC(body: string): AnsiCText {
  let text = "";
  let certain = true;
  for (let at = 0; at < body.length; ) {
    if (body[at] !== "\\" || at + 1 >= body.length) {
      text += body[at] ?? "";
      at += 1;
      continue;
    }
    const next = body[at + 1] ?? "";
    const simple = SIMPLE.get(next);
    NUMERIC.lastIndex = at + 1;
    const [digits = ""] = NUMERIC.exec(body) ?? [];
    if (simple !== undefined) {
      text += simple;
      at += 2;
    } else if (digits !== "") {
      const code = /^[0-7]/.test(digits) ? Number.parseInt(digits, 8) % 256 : Number.parseInt(digits.slice(1), 16);
      if (code === 0) return { text, certain };
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) certain = false;
      else text += String.fromCodePoint(code);
      if (code > 0x7f && !/^[uU]/.test(digits)) certain = false;
      at += 1 + digits.length;
    } else if (next === "c") {
      text += String.fromCharCode((body.charCodeAt(at + 2) || 0) & 0x1f);
      at += 3;
    } else {
      text += `\\${next}`;
      at += 2;
    }
  }
  return { text, certain };
}
