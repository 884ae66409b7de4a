import { readForeign } from "./languages/read-foreign.ts";
import { classesByShape } from "./read-sentence.ts";

/** The classes of a sentence of another language, also by the shape of paths, names and addresses; null for English. */
export function toForeignClasses(sentence: string): { readonly has: number; readonly isKnown: boolean } | null {
  const reading = readForeign(sentence);
  if (reading === null) return null;
  let has = reading.has;
  for (const piece of sentence.split(/[\s,;()<>"'「」、。，；：]+/u)) has |= classesByShape(piece);
  return { has, isKnown: reading.known };
}
