/**
 * Characters that control a terminal, change how text reads, or are invisible. Line feeds, tabs and joined emoji stay.
 */
const HIDDEN =
  /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\p{Cs}]|\p{Variation_Selector}(?<!\ufe0f)|(?!(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))\p{Cf}/gu;
const PLAIN = /^[ -~\n\t]*$/;

/** The text with everything invisible written out, so that a reader sees what is really there. */
export function revealText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
