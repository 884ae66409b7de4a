/** Names, descriptions and reasons come from servers and files: none may control a terminal or hide in it. */
const UNSAFE =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|\p{Variation_Selector}(?<!\ufe0f)|(?!(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))\p{Cf}/gu;
const PLAIN = /^[ -~]*$/;
const SHORT = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** The text on one line, with control, invisible and direction characters written out. */
export function escapeText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(UNSAFE, escapeCharacter);
}

/** The same, with line breaks preserved. */
export function escapeLines(text: string): string {
  return text.split("\n").map(escapeText).join("\n");
}

/** One line each, terminated. */
export function writeLines(lines: readonly string[]): string {
  return lines.map((line) => `${escapeText(line)}\n`).join("");
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return SHORT.get(character) ?? (code < 0x100 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`);
}

/**
 * `JSON.stringify` leaves these unescaped. Escaped, the document means the same, cannot control a terminal, and shows
 * its reader what is invisible: tag characters hide instructions for a model from people.
 */
const UNSAFE_IN_JSON = /[\u007f-\u009f\p{Zl}\p{Zp}\p{Cf}]|\p{Variation_Selector}(?<!\ufe0f)/gu;

/** One JSON document as printed: indented for people, on one line for programs. */
export function toJson(value: unknown, indented: boolean): string {
  return escapeJson(JSON.stringify(value, null, indented ? 2 : 0));
}

const UTF8 = new TextEncoder();

/** The same for JSON on one line that is already text. Most of it is ASCII, as a glance shows. */
export function escapeJson(text: string): string {
  const isAscii = UTF8.encode(text).length === text.length && !text.includes("\u007f");
  return isAscii ? `${text}\n` : `${text.replace(UNSAFE_IN_JSON, toUnits)}\n`;
}

/** JSON has UTF-16 units only; a character beyond the first plane is two. */
function toUnits(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
