import { findMismatch } from "./annotation-mismatch.ts";
import { toAttackKind } from "./attack-kind.ts";
import { isOneWord, readPiece, toHome } from "./definition-sentences.ts";
import { type Definition, type TextPiece, toTexts } from "./definition-texts.ts";
import { hidesInComment, speaksAsHost } from "./fake-authority.ts";
import { runsCommand } from "./harmful-command.ts";
import { isPlainlyHarmless } from "./plainly-harmless.ts";
import { findSchemaHazard, holdsProto, PROTO_TEXT } from "./schema-hazards.ts";
import type { Signal } from "./signal.ts";
import { isTellingName } from "./telling-names.ts";
import { toQuote } from "./visible-text.ts";
import { weighSentence } from "./weigh-sentence.ts";

/** A run of blanks that pushes what follows out of a reader's sight. */
const PADDING = /[^\S\n]{80}|(?:\n[^\S\n]{0,100}){15}/u;
/** Three words or more; of 38,000 tools of real servers none has that in such a place. */
const SENTENCE = /[^\s\d]{2,} [^\s]{1,40} [^\s]*\p{L}/u;
/** No markup and no command is made of these alone. */
const ORDINARY = /^[A-Za-z0-9 .,'()]*$/;
const MAX_SIGNALS = 20;

/** A tool that is named after an encoding may show what it looks like; what that says is read all the same. */
const ENCODES = /base64|encod|decod|hex|cipher|rot13|jwt/i;

interface About {
  readonly home: () => number;
  readonly encodes: () => boolean;
}

type Add = (name: Signal["name"], text: string, where: string, quote?: string) => void;

/** What one definition says that it should not, without its neighbours. Never throws, and takes linear time. */
export function scanDefinition(definition: Definition): readonly Signal[] {
  const signals: Signal[] = [];
  const add: Add = (name, text, where, quote) => {
    if (signals.length < MAX_SIGNALS && !signals.some((other) => other.name === name && other.text === text))
      signals.push({ name, text, where, ...(quote === undefined ? {} : { quote: toQuote(quote) }) });
  };
  for (const root of ["inputSchema", "outputSchema"] as const) {
    const hazard = findSchemaHazard(definition[root], root);
    if (hazard !== null) add("unsafe-schema", hazard.text, hazard.where);
  }
  const mismatch = findMismatch(definition);
  if (mismatch !== null) add("annotation-mismatch", mismatch, "annotations");
  let known: number | null = null;
  const home = (): number => {
    known ??= toHome(definition);
    return known;
  };
  const about = { home, encodes: () => ENCODES.test(definition.name) };
  for (const piece of toTexts(definition)) scanPiece(piece, about, add);
  return signals;
}

function scanPiece(piece: TextPiece, { home, encodes }: About, add: Add): void {
  const { raw, kind, where, misplaced } = piece;
  if (kind !== "key" && isOneWord(raw)) return;
  if (misplaced && SENTENCE.test(raw)) {
    add("imperative-to-model", "has words where a number or the name of a format belongs", where, raw);
    return;
  }
  if (kind === "key" && isTellingName(raw, home))
    add("context-harvest-param", "is named for what the model was told or knows", where);
  if (isPlainlyHarmless(raw, kind)) return;
  if ((kind === "description" || kind === "title") && holdsProto(raw)) add("unsafe-schema", PROTO_TEXT, where);
  if (PADDING.test(raw.trim())) add("padded-text", "pushes text out of sight with blanks", where);
  readPiece(piece).forEach((passage, at) => {
    if (at > 0 && (kind === "description" || kind === "title") && !encodes())
      add("encoded-text", "holds encoded sentences", where, passage.raw);
    if (!ORDINARY.test(passage.raw)) findByForm(passage, where, add);
    for (const { text, standing } of passage.sentences) {
      const verdict = weighSentence(text, { standing, home });
      if (verdict.score <= 0) continue;
      const looks = toAttackKind(verdict, standing);
      add(looks.name, looks.text, where, text);
    }
  });
}

function findByForm({ raw, plain }: { readonly raw: string; readonly plain: string }, where: string, add: Add): void {
  if (speaksAsHost(raw, plain)) add("imperative-to-model", "speaks as if the host or a provider had written it", where);
  if (hidesInComment(plain)) add("imperative-to-model", "holds a comment that only a model reads", where);
  if (runsCommand(plain)) add("imperative-to-model", "has a harmful command run", where);
}
