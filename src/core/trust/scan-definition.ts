import { isSuspect } from "../tool/suspect-words.ts";
import { findMismatch } from "./annotation-mismatch.ts";
import { type Definition, type TextPiece, toTexts, toWords } from "./definition-texts.ts";
import { findEncodedText } from "./encoded-text.ts";
import { type Subject, toSubject } from "./loot.ts";
import { toPlainText, toSentences } from "./plain-text.ts";
import { type About, type Add, readText } from "./read-text.ts";
import { findSchemaHazard } from "./schema-hazards.ts";
import type { Signal } from "./signal.ts";

/** A run of blanks that pushes what follows out of a reader's sight. */
const PADDING = /[^\S\n]{80}|(?:\n[^\S\n]{0,100}){15}/u;
/** Three words or more; of 38,000 tools of real servers none has that in such a place. */
const SENTENCE = /[^\s\d]{2,} [^\s]{1,40} [^\s]*\p{L}/u;
const MAX_SIGNALS = 20;

/** What one definition says that it should not, without its neighbours. Never throws, and takes linear time. */
export function scanDefinition(definition: Definition): readonly Signal[] {
  const signals: Signal[] = [];
  const add: Add = (name, text, where) => {
    if (signals.length < MAX_SIGNALS && !signals.some((other) => other.name === name && other.text === text))
      signals.push({ name, text, where });
  };
  for (const root of ["inputSchema", "outputSchema"] as const) {
    const hazard = findSchemaHazard(definition[root], root);
    if (hazard !== null) add("unsafe-schema", hazard.text, hazard.where);
  }
  for (const { name, text, where } of scanClaims(definition)) add(name, text, where);
  const pieces = toTexts(definition);
  let about: About | null = null;
  for (const piece of pieces) {
    if (piece.misplaced && SENTENCE.test(piece.raw))
      add("imperative-to-model", "has words where a number or the name of a format belongs", piece.where);
    // Most texts of most definitions have no word that any rule needs.
    if (!isSuspect(piece.kind === "key" ? `"${piece.raw}"` : piece.raw)) continue;
    about ??= toAbout(definition, pieces);
    readPiece(piece, about, add);
  }
  return signals;
}

/** What it claims of itself alone, for a definition that has no word worth a look. */
export function scanClaims(definition: Definition): readonly Signal[] {
  const text = findMismatch(definition);
  return text === null ? [] : [{ name: "annotation-mismatch", text, where: "annotations" }];
}

function readPiece(piece: TextPiece, about: About, add: Add): void {
  const { raw, kind, where } = piece;
  if (PADDING.test(raw.trim())) add("padded-text", "pushes text out of sight with blanks", where);
  readText(piece, toPlainText(raw), about, add);
  for (const decoded of findEncodedText(raw)) {
    if (kind === "description" || kind === "title") add("encoded-text", "holds encoded sentences", where);
    readText({ ...piece, raw: decoded }, toPlainText(decoded), about, add);
  }
}

function toAbout({ name, description }: Definition, pieces: readonly TextPiece[]): About {
  const slots = new Set<string>();
  for (const { kind, parameter } of pieces)
    if (kind === "key" && parameter !== null) slots.add(parameter.toLowerCase());
  for (const [, quoted = ""] of description.matchAll(/[`'"]([A-Za-z_][\w-]{0,30})[`'"]/g))
    slots.add(quoted.toLowerCase());
  const toolWords = toWords(name).toLowerCase();
  let subject: Subject | null = null;
  // Few sentences come so far that it matters what the tool is about.
  const readSubject = (): Subject => {
    const opening = toSentences(toPlainText(description.slice(0, 300)))[0] ?? "";
    subject ??= toSubject(`${toolWords} ${opening.slice(0, 200)}`);
    return subject;
  };
  return { own: name.toLowerCase(), toolWords, slots, subject: () => subject ?? readSubject() };
}
