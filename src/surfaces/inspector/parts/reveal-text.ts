/** Part of a server's text: shown as it is, or a character that is invisible or would move others. */
export type Shown =
  | { readonly kind: "plain"; readonly text: string }
  | { readonly kind: "escaped"; readonly text: string; readonly codePoint: string };

/** The characters that the command line also writes out. */
const UNSAFE =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|\p{Variation_Selector}(?<!\ufe0f)|(?!(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))\p{Cf}/gu;
const SHORT: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** Splits a text so that control, invisible and direction characters can be shown. Lines and tabs stay if asked to. */
export function splitHidden(text: string, keepsLines: boolean): readonly Shown[] {
  const parts: Shown[] = [];
  let end = 0;
  for (const { 0: character, index } of text.matchAll(UNSAFE)) {
    if (keepsLines && (character === "\n" || character === "\t")) continue;
    if (index > end) parts.push({ kind: "plain", text: text.slice(end, index) });
    parts.push(toEscaped(character));
    end = index + character.length;
  }
  if (end < text.length) parts.push({ kind: "plain", text: text.slice(end) });
  return parts;
}

/** The same on one line of plain text, for labels and titles. */
export function toOneLine(text: string): string {
  return splitHidden(text, false)
    .map((part) => part.text)
    .join("");
}

function toEscaped(character: string): Shown {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  const written = code < 0x100 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
  return {
    kind: "escaped",
    text: SHORT.get(character) ?? written,
    codePoint: `U+${hex.toUpperCase().padStart(4, "0")}`,
  };
}
