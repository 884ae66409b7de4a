import type { EvidenceStanding } from "./evidence.ts";
import { readForeignSentence } from "./languages/read-foreign.ts";
import { classesByShape } from "./read-sentence.ts";
import { CLASS } from "./word-classes.ts";

export interface ForeignClasses {
  readonly has: number;
  /** False for a language that is not known. */
  readonly isKnown: boolean;
}

/** The word classes of a foreign sentence, also by the shape of paths, names and addresses; null for English. */
export function toForeignClasses(sentence: string): ForeignClasses | null {
  const reading = readForeignSentence(sentence);
  if (reading === null) return null;
  let has = reading.has;
  for (const piece of sentence.split(/[\s,;()<>"'「」、。，；：]+/u)) has |= classesByShape(piece);
  return { has, isKnown: reading.known };
}

/** The text of a parameter is about where a call puts something, in any language. */
export function asStanding(has: number, standing: EvidenceStanding): number {
  return standing === "parameter" || standing === "key" ? has | CLASS.slot : has;
}
