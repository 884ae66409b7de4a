/** What steers a terminal, changes how text reads, or cannot be seen. Line feeds and tabs stay, and joined emoji. */
const HIDDEN =
  /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\p{Cs}]|\p{Variation_Selector}(?<!\ufe0f)|(?!(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))\p{Cf}/gu;
const PLAIN = /^[ -~\n\t]*$/;

/** The text with everything invisible written out, so that whoever reads it sees what is really there. */
export function revealText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
