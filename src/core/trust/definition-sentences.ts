import { type Definition, isOneWord, type TextPiece, toWords } from "./definition-texts.ts";
import { findEncodedText } from "./encoded-text.ts";
import { type EvidenceStanding, toClasses, toEvidenceStanding } from "./evidence.ts";
import { toPlainText, toSentences } from "./plain-text.ts";

/** A text of a definition as written and as a model reads it. */
interface Passage {
  readonly raw: string;
  readonly plain: string;
  /** It is encoded, which honest text is not. */
  readonly isOdd: boolean;
  readonly sentences: readonly { readonly text: string; readonly standing: EvidenceStanding }[];
}

const NOTHING: readonly Passage[] = [];

/** One text of a definition, followed by what it contains in an encoding. */
export function readPiece({ raw, kind }: Pick<TextPiece, "raw" | "kind">): readonly Passage[] {
  if (isOneWord(raw)) return NOTHING;
  return [{ text: raw, isOdd: false }, ...findEncodedText(raw)].map(({ text, isOdd }) => {
    const plain = toPlainText(text);
    const sentences = toSentences(plain).map((sentence, at) => ({
      text: sentence,
      standing: toEvidenceStanding(kind, kind === "description" && at === 0),
    }));
    return { raw: text, plain, isOdd, sentences };
  });
}

/** The classes of a tool's topic, from its name and its first sentence: it may speak of these. */
export function toHome({ name, description }: Pick<Definition, "name" | "description">): number {
  const [opening = ""] = toSentences(toPlainText(description.slice(0, 300)));
  return toClasses(`${toWords(name).toLowerCase()} ${opening.slice(0, 200)}`);
}
