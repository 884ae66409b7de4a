import { findMismatch } from "./annotation-mismatch.ts";
import { isHarvestParameter, wantsContext } from "./context-harvest.ts";
import { asksForSecrets, isFilledWithSecrets, isNamedForSecrets } from "./credentials.ts";
import { deceives } from "./deception.ts";
import { type Definition, type TextPiece, toTexts, toWords } from "./definition-texts.ts";
import { findEncodedText } from "./encoded-text.ts";
import { hidesInComment, speaksAsHost } from "./fake-authority.ts";
import { runsCommand } from "./harmful-command.ts";
import { ordersModel } from "./model-orders.ts";
import { reachesForOthers, sendsElsewhere } from "./other-tools.ts";
import { commandsModel, overridesOthers } from "./override.ts";
import { toPlainText, toSentences } from "./plain-text.ts";
import { steersChoice } from "./preference.ts";
import { findSchemaHazard } from "./schema-hazards.ts";
import { keepsSecret } from "./secrecy.ts";
import type { Signal, SignalName } from "./signal.ts";

/** A run of blanks that pushes what follows out of a reader's sight. */
const PADDING = /[^\S\n]{80}|(?:\n[^\S\n]{0,100}){15}/u;

/** What one definition says that it should not, without its neighbours. Never throws, and takes linear time. */
export function scanDefinition(definition: Definition): readonly Signal[] {
  const signals: Signal[] = [];
  const add = (name: SignalName, text: string, where: string): void => {
    if (signals.length < MAX_SIGNALS && !signals.some((other) => other.name === name && other.text === text))
      signals.push({ name, text, where });
  };
  const hazard = findSchemaHazard(definition.inputSchema);
  if (hazard !== null) add("unsafe-schema", hazard.text, hazard.where);
  for (const { name, text, where } of scanClaims(definition)) add(name, text, where);
  const toolWords = toWords(definition.name).toLowerCase();
  for (const piece of toTexts(definition)) {
    readPiece(piece, toolWords, add);
    for (const decoded of findEncodedText(piece.raw)) {
      if (piece.kind === "description" || piece.kind === "title")
        add("encoded-text", "holds encoded sentences", piece.where);
      const plain = toPlainText(decoded);
      readPiece({ ...piece, raw: decoded, plain, sentences: toSentences(plain) }, toolWords, add);
    }
  }
  return signals;
}

/** What it claims of itself alone, for a definition that has no word worth a look. */
export function scanClaims(definition: Definition): readonly Signal[] {
  const text = findMismatch(definition);
  return text === null ? [] : [{ name: "annotation-mismatch", text, where: "annotations" }];
}

const MAX_SIGNALS = 20;

type Add = (name: SignalName, text: string, where: string) => void;

function readPiece(piece: TextPiece, toolWords: string, add: Add): void {
  const { where, kind, raw, plain, sentences } = piece;
  if (speaksAsHost(raw, plain)) add("imperative-to-model", "speaks as if the host or a provider had written it", where);
  if (hidesInComment(plain)) add("imperative-to-model", "holds a comment that only a model reads", where);
  if (PADDING.test(raw.trim())) add("padded-text", "pushes text out of sight with blanks", where);
  if (kind === "key" && isNamedForSecrets(plain)) add("context-harvest-param", "is named for what is secret", where);
  if (kind === "parameter" && isFilledWithSecrets(plain))
    add("context-harvest-param", "is to be filled with what is secret", where);
  if ((kind === "parameter" || kind === "key") && isHarvestParameter(toolWords, piece))
    add("context-harvest-param", "is to be filled with what the model was told", where);
  sentences.forEach((sentence, at) => {
    if (overridesOthers(sentence)) add("imperative-to-model", "tells the model to put other instructions aside", where);
    if (commandsModel(sentence) || ordersModel(sentence))
      add("imperative-to-model", "gives orders to the model that reads it", where);
    if (runsCommand(sentence)) add("imperative-to-model", "has a harmful command run", where);
    if (keepsSecret(sentence) || deceives(sentence))
      add("imperative-to-model", "wants something kept from the user", where);
    if (asksForSecrets(sentences, at)) add("imperative-to-model", "has the model hand over what is secret", where);
    if (kind !== "key" && kind !== "switch" && wantsContext(sentence))
      add("context-harvest-param", "wants what the model was told", where);
    if (sendsElsewhere(sentence)) add("imperative-to-model", "has data sent to a fixed place", where);
    if (reachesForOthers(sentence)) add("cross-tool-instruction", "wants to be obeyed around other tools", where);
    const next = /[.!?]$/.test(sentence) ? (sentences[at + 1] ?? "") : "";
    if (
      steersChoice(sentence) ||
      (next !== "" && sentence.length + next.length < 400 && steersChoice(`${sentence} ${next}`))
    )
      add("preference-steering", "wants to be chosen over other tools", where);
  });
}
