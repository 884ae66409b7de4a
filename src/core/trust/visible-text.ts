/** Characters that a reader would not see, or that change how the rest is shown; line breaks and tabs are plain. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\p{Surrogate}]/gu;

/** The same text with every hidden character written out, as `⟦U+202E⟧`, so that a person can judge it. */
export function toVisibleText(text: string): string {
  return text.replace(
    UNSEEN,
    (character) => `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟧`,
  );
}

const MAX_QUOTED = 200;

/** A sentence on one line, shortened for people. */
export function toQuote(text: string): string {
  const line = toVisibleText(
    text
      .slice(0, 2 * MAX_QUOTED)
      .replace(/\s+/g, " ")
      .trim(),
  );
  return line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line;
}
