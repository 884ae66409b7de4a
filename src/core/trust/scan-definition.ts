import { type Spot, toWhere } from "../schema/walk-parts.ts";
import { allSteps } from "../shape/all-steps.ts";
import { findMismatch } from "./annotation-mismatch.ts";
import { toAttackKind } from "./attack-kind.ts";
import { readPiece, toHome } from "./definition-sentences.ts";
import { type Definition, type DefinitionParts, isOneWord, type TextPiece, takeApart } from "./definition-texts.ts";
import { isDrawing } from "./drawing.ts";
import { hidesInComment, speaksAsHost } from "./fake-authority.ts";
import { runsCommand } from "./harmful-command.ts";
import { judgeSentence } from "./judge-sentence.ts";
import { isPlainDefinition } from "./plain-definition.ts";
import { isPlainlyHarmless } from "./plainly-harmless.ts";
import { holdsProto, PROTO_TEXT } from "./schema-hazards.ts";
import type { Signal } from "./signal.ts";
import { isTellingName } from "./telling-names.ts";
import { toQuote } from "./visible-text.ts";

/** A run of blanks that pushes the following text out of sight. */
const PADDING = /[^\S\n]{80}|(?:\n[^\S\n]{0,100}){15}/u;
/** Three words or more; none of 38,000 tools of real servers has that in such a place. */
const SENTENCE = /[^\s\d]{2,} [^\s]{1,40} [^\s]*\p{L}/u;
/** No markup and no command consists of these alone. */
const ORDINARY = /^[A-Za-z0-9 .,'()]*$/;
const MAX_SIGNALS = 20;
const PIECES_PER_STEP = 20;
const NOTHING: DefinitionParts = { pieces: [], hazards: [] };

/** A tool named after an encoding may show an example; its content is scanned all the same. */
const ENCODES = /base64|base32|encod|decod|hex|cipher|rot13|jwt|morse|caesar/i;

interface About {
  /** The minimum weight of a sentence to count. */
  readonly least: number;
  readonly home: () => number;
  readonly encodes: () => boolean;
}

type Add = (name: Signal["name"], text: string, spot: Spot, quote?: string) => void;

/**
 * What one definition, without its neighbours, says that it should not. Never throws, and takes linear time. Sentences
 * that weigh more than `least` count.
 */
export function scanDefinition(definition: Definition, least = 0): readonly Signal[] {
  const glance = glanceAt(definition);
  return glance === null ? NO_SIGNALS : allSteps(scanClosely(definition, glance, least));
}

const NO_SIGNALS: readonly Signal[] = [];

export interface Glance {
  /** Its texts and schemas hold nothing to find, as `isPlainDefinition` says. */
  readonly isPlain: boolean;
  readonly mismatch: string | null;
  readonly home: () => number;
}

/** Null for most definitions: one quick look shows that there is nothing to find. */
export function glanceAt(definition: Definition): Glance | null {
  let known: number | null = null;
  const home = (): number => {
    known ??= toHome(definition);
    return known;
  };
  const isPlain = isPlainDefinition(definition, home);
  const mismatch = findMismatch(definition);
  return isPlain && mismatch === null ? null : { isPlain, mismatch, home };
}

/** In steps, for callers with other work waiting. */
export function* scanClosely(
  definition: Definition,
  { isPlain, mismatch, home }: Glance,
  least = 0,
): Generator<void, readonly Signal[], void> {
  const signals: Signal[] = [];
  const add: Add = (name, text, spot, quote) => {
    if (signals.length < MAX_SIGNALS && !signals.some((other) => other.name === name && other.text === text))
      signals.push({ name, text, where: toWhere(spot), ...(quote === undefined ? {} : { quote: toQuote(quote) }) });
  };
  const { pieces, hazards } = isPlain ? NOTHING : yield* takeApart(definition);
  for (const { text, spot } of hazards) add("unsafe-schema", text, spot);
  if (mismatch !== null) add("annotation-mismatch", mismatch, { within: null, name: "annotations" });
  const about = { least, home, encodes: () => ENCODES.test(definition.name) };
  for (const [at, piece] of pieces.entries()) {
    if (at % PIECES_PER_STEP === 0) yield;
    scanPiece(piece, about, add);
  }
  return signals;
}

function scanPiece(piece: TextPiece, { least, home, encodes }: About, add: Add): void {
  const { raw, kind, spot, misplaced } = piece;
  if (kind !== "key" && isOneWord(raw)) return;
  if (misplaced && SENTENCE.test(raw)) {
    add("imperative-to-model", "has words where a number or the name of a format belongs", spot, raw);
    return;
  }
  if (kind === "key" && isTellingName(raw, home))
    add("context-harvest-param", "is named for what the model was told or knows", spot);
  if (isPlainlyHarmless(raw, kind, home)) return;
  if ((kind === "description" || kind === "title") && holdsProto(raw)) add("unsafe-schema", PROTO_TEXT, spot);
  if (isDrawing(raw)) add("unjudged-text", "holds a drawing of signs that cannot be judged", spot);
  if (PADDING.test(raw.trim())) add("padded-text", "pushes text out of sight with blanks", spot);
  for (const passage of readPiece(piece)) {
    if (passage.isOdd && (kind === "description" || kind === "title") && !encodes())
      add("encoded-text", "holds encoded sentences", spot, passage.raw);
    if (!ORDINARY.test(passage.raw)) findByForm(passage, spot, add);
    for (const { text, standing } of passage.sentences) {
      const verdict = judgeSentence(text, { standing, home });
      if (!verdict.isKnown) add("unjudged-text", "is in a language that cannot be judged", spot, text);
      if (verdict.score <= least) continue;
      const looks = toAttackKind(text, verdict, standing);
      add(looks.name, looks.text, spot, text);
    }
  }
}

function findByForm({ raw, plain }: { readonly raw: string; readonly plain: string }, spot: Spot, add: Add): void {
  if (speaksAsHost(raw, plain)) add("imperative-to-model", "speaks as if the host or a provider had written it", spot);
  if (hidesInComment(plain)) add("imperative-to-model", "holds a comment that only a model reads", spot);
  if (runsCommand(plain)) add("imperative-to-model", "has a harmful command run", spot);
}
