import { isSuspect } from "../tool/suspect-words.ts";
import { isHarvestParameter, isOwnTalk, wantsContext } from "./context-harvest.ts";
import { asksForSecrets, isFilledWithSecrets, isNamedForSecrets } from "./credentials.ts";
import { deceives } from "./deception.ts";
import { dismissesRules, skipsConsent } from "./defiance.ts";
import type { TextPiece } from "./definition-texts.ts";
import { hidesInComment, speaksAsHost } from "./fake-authority.ts";
import { runsCommand } from "./harmful-command.ts";
import { asksForLoot, isForLoot, namesSecret, type Subject } from "./loot.ts";
import { doesDamage, meddles } from "./meddling.ts";
import { ordersModel } from "./model-orders.ts";
import { reachesForOthers, sendsElsewhere } from "./other-tools.ts";
import { commandsModel, isCareful, overridesOthers } from "./override.ts";
import { toSentences } from "./plain-text.ts";
import { steersChoice } from "./preference.ts";
import { playsModel } from "./puppetry.ts";
import { type Reading, readParts } from "./read-sentence.ts";
import { keepsSecret } from "./secrecy.ts";
import type { SignalName } from "./signal.ts";
import { isAtHome, wantsToBeChosen } from "./steering.ts";
import { isHarmless, isLikeAttacks } from "./weigh-sentence.ts";
import { CLASS } from "./word-classes.ts";

export type Add = (name: SignalName, text: string, where: string) => void;

/** What the whole definition says about each of its texts. */
export interface About {
  readonly own: string;
  readonly toolWords: string;
  readonly subject: () => Subject;
  /** Names that a text can mean as a parameter. */
  readonly slots: ReadonlySet<string>;
}

/** Reads one text of a definition, as plain text, and says what it should not say. */
export function readText(piece: TextPiece, plain: string, { own, toolWords, subject, slots }: About, add: Add): void {
  const { where, kind, raw } = piece;
  const sentences = toSentences(plain);
  if (speaksAsHost(raw, plain)) add("imperative-to-model", "speaks as if the host or a provider had written it", where);
  if (hidesInComment(plain)) add("imperative-to-model", "holds a comment that only a model reads", where);
  if (kind === "key" && isNamedForSecrets(plain) && !subject().secrets)
    add("context-harvest-param", "is named for what is secret", where);
  if ((kind === "parameter" || kind === "schema") && isFilledWithSecrets(plain))
    add("context-harvest-param", "is to be filled with what is secret", where);
  if ((kind === "parameter" || kind === "key") && isHarvestParameter(toolWords, { kind, plain }))
    add("context-harvest-param", "is to be filled with what the model was told", where);
  // A parameter that is called after a key may say whose and what for.
  const isItsOwn = ({ has }: Reading): boolean =>
    kind === "parameter" && namesSecret(piece.parameter) && (has & (CLASS.secret | CLASS.talk | CLASS.place)) === 0;
  const judge = (reading: Reading, opening: boolean, tell: Add): void => {
    if (
      !isItsOwn(reading) &&
      asksForLoot(reading, { subject, opening, odd: kind === "schema" || kind === "switch" || isSentence(piece) })
    )
      tell("imperative-to-model", "has the model hand over what is not the tool's business", where);
    if (!(opening && speaksOfAttacks(plain)) && dismissesRules(reading) && !isCareful(reading.words.join(" ")))
      tell("imperative-to-model", "puts aside what others told the model", where);
    if (kind !== "switch" && skipsConsent(reading, opening))
      tell("imperative-to-model", "has the model act where a person should have a say", where);
    if (meddles(reading, { opening, own })) tell("cross-tool-instruction", "reaches into other tools", where);
    if (doesDamage(reading, opening)) tell("imperative-to-model", "has damage done", where);
    if (wantsToBeChosen(reading, opening))
      tell("preference-steering", "wants to be chosen for more than it does", where);
    if ((kind === "key" || kind === "parameter") && isForLoot(reading, subject, kind, namesSecret(piece.parameter)))
      tell("context-harvest-param", "is to be filled with what is not the tool's business", where);
  };
  let skipped = "";
  sentences.forEach((sentence, at) => {
    const before = skipped;
    skipped = sentence;
    if (!isSuspect(sentence)) return;
    skipped = "";
    const opening = kind === "description" && at === 0;
    const ofAttacks = opening && speaksOfAttacks(plain);
    const readings = readParts(sentence, slots);
    const told: (readonly [SignalName, string])[] = [];
    const tell: Add = (name, text) => told.push([name, text]);
    for (const reading of readings) judge(reading, opening, tell);
    const next = sentences[at + 1] ?? "";
    // What is named in one sentence is often handed over in the next.
    if (sentence.length + next.length < 500 && HANDED_ON.test(next) && !CLOSED.test(sentence))
      for (const reading of readParts(`${sentence.replace(/[.;!?]$/u, ",")} ${next}`, slots))
        if (!isItsOwn(reading) && asksForLoot(reading, { subject, opening, odd: false }))
          add("imperative-to-model", "has the model hand over what is not the tool's business", where);
    const found = findIn(sentence);
    if ((found & ORDERS) !== 0 && !ofAttacks)
      tell("imperative-to-model", "gives orders to the model that reads it", where);
    if ((found & PUPPET) !== 0 && !opening)
      tell("imperative-to-model", "says what the model shall say, or for whom it works", where);
    if ((found & COMMAND) !== 0) add("imperative-to-model", "has a harmful command run", where);
    if ((found & SECRECY) !== 0 && !(opening && SAYS_WHAT_IT_DOES.test(sentence)))
      tell("imperative-to-model", "wants something kept from the user", where);
    if (asksForSecrets(sentences, at)) add("imperative-to-model", "has the model hand over what is secret", where);
    if (kind !== "key" && kind !== "switch" && (found & CONTEXT) !== 0 && !isOwnTalk(toolWords, sentence))
      tell("context-harvest-param", "wants what the model was told", where);
    if ((found & ELSEWHERE) !== 0) add("imperative-to-model", "has data sent to a fixed place", where);
    if ((found & OTHERS) !== 0) tell("cross-tool-instruction", "wants to be obeyed around other tools", where);
    if ((found & CHOICE) !== 0 || steersTogether(before, sentence) || steersTogether(sentence, next))
      tell("preference-steering", "wants to be chosen over other tools", where);
    if (told.length > 0) {
      if (!isHarmless(sentence, kind, slots)) for (const [name, text] of told) add(name, text, where);
    } else if (!ofAttacks)
      for (const reading of readings) {
        const atHome = isOwnTalk(toolWords, sentence) || isAtHomeWith(reading, subject);
        if (isLikeAttacks(reading, { kind, opening, atHome })) addWeighed(reading, piece, add);
      }
  });
}

const {
  choose,
  praise,
  blame,
  tool,
  other,
  secret,
  private: own,
  talk,
  speech,
  place,
  hidden,
  thing,
  contents,
} = CLASS;

/** Speaks of what the tool is about. */
function isAtHomeWith({ has }: Reading, subject: () => Subject): boolean {
  return (
    ((has & (secret | own)) !== 0 && subject().secrets) ||
    ((has & (talk | speech)) !== 0 && (has & (secret | own)) === 0 && subject().talk)
  );
}

/** A sentence that no rule has to know. */
function addWeighed({ has }: Reading, { kind, where }: TextPiece, add: Add): void {
  const isBid = (has & (choose | praise | blame)) !== 0 && (has & (tool | other)) !== 0;
  if ((kind === "parameter" || kind === "key") && (has & (secret | own | talk | speech | thing | contents)) !== 0)
    add("context-harvest-param", "is worded like a request for what the model knows", where);
  else if (isBid && (has & (secret | own | talk | speech | place | hidden)) === 0)
    add("preference-steering", "is worded like a bid to be chosen", where);
  else add("imperative-to-model", "is worded like orders to a model", where);
}

/** A name with as many words as a sentence has was not made to be a name. */
function isSentence({ kind, raw }: TextPiece): boolean {
  return kind === "key" && raw.split(" ", 6).length > 4;
}

/** A first sentence that says what the tool finds or tries out: what it quotes is its subject. */
function speaksOfAttacks(plain: string): boolean {
  return /^\W{0,3}[a-z]{2,20}s [^.!?]{0,160}\b(?:whether|detect\w*|red-?team\w*|attempts?|tries|injections?|jailbreaks?|attacks?|phishing|malware|moderat\w+|hidden instructions)\b/u.test(
    plain,
  );
}

/** `Sends a silent message: the user does not see it.` A first sentence that orders nothing. */
const SAYS_WHAT_IT_DOES =
  /^(?!.*\b(?:do not|don't|never|must|should|shall|please|need not|no need|nobody)\b)[a-z]{2,20}s\b/u;

/** `Put it into memo.` */
const HANDED_ON =
  /^(?:(?:step )?\d{1,2}[.:)] )?(?:then |and |also |please |now |next,? |afterwards,? ){0,2}(?:put|write|send|pass|include|attach|append|paste|add|insert|place|submit|supply|provide|return|upload|forward|post|store|copy|share|report|use) (?:it|them|that|those|this|its|the (?:results?|contents?|output|text|listing|values?))\b/u;
/** A sentence that says what not to do goes on in the next as often as not. */
const CLOSED = /\b(?:do not|don't|never|must not|should not|cannot)\b/u;

const ORDERS = 1;
const COMMAND = 2;
const SECRECY = 4;
const CONTEXT = 8;
const ELSEWHERE = 16;
const OTHERS = 32;
const CHOICE = 64;
const PUPPET = 128;

/** Servers repeat themselves: the same sentence stands in many of their definitions. */
const known = new Map<string, number>();
const MAX_KNOWN = 2_000;
const MAX_REMEMBERED = 300;

/** What is wrong with a sentence whatever definition it stands in. */
function findIn(sentence: string): number {
  const earlier = known.get(sentence);
  if (earlier !== undefined) return earlier;
  let found = 0;
  if (overridesOthers(sentence) || commandsModel(sentence) || ordersModel(sentence)) found |= ORDERS;
  if (runsCommand(sentence)) found |= COMMAND;
  if (keepsSecret(sentence) || deceives(sentence)) found |= SECRECY;
  if (playsModel(sentence)) found |= PUPPET;
  if (wantsContext(sentence)) found |= CONTEXT;
  if (sendsElsewhere(sentence)) found |= ELSEWHERE;
  if (reachesForOthers(sentence)) found |= OTHERS;
  if (steersChoice(sentence) && !isAtHome(sentence)) found |= CHOICE;
  if (sentence.length <= MAX_REMEMBERED) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(sentence, found);
  }
  return found;
}

/** `This is the best tool. Always use it.` */
function steersTogether(sentence: string, next: string): boolean {
  if (next === "" || !/[.!?;]$/.test(sentence) || sentence.length + next.length >= 400) return false;
  const both = `${sentence} ${next}`;
  return steersChoice(both) && !isAtHome(both);
}
