import { hasOrder, isForbidden } from "./loot.ts";
import type { Reading } from "./read-sentence.ts";
import { createSieve } from "./sieve.ts";
import { CLASS } from "./word-classes.ts";

const { act, give, take, past, model, you, person, must, not, tool, dismiss, rule, whole, obey, contents } = CLASS;

/** Rules that are a model's, not those of a firewall. */
const OF_MODELS: ReadonlySet<string> = new Set(
  "instructions|instruction|guidance|guidelines|guideline|prompt|prompts|directives|directive|training|safeguards|guardrails|safety|orders|alignment|moderation".split(
    "|",
  ),
);
/** What a person has a say in. */
const CONSENT: ReadonlySet<string> = new Set(
  "confirmation|confirmations|approval|approvals|permission|permissions|consent|sandbox|safety".split("|"),
);

/** Tells the model that what others told it does not count. */
export function dismissesRules(reading: Reading): boolean {
  const { words, classes, has, foreign } = reading;
  if ((has & rule) === 0 || (has & dismiss) === 0) return hasNewMaster(reading);
  if (foreign) return (has & (past | whole | person)) !== 0 && hasOrder(reading, dismiss);
  for (let at = 0; at < words.length; at++) {
    if (((classes[at] ?? 0) & rule) === 0) continue;
    const whose = around(classes, at, 5, 6) & (you | past | model);
    const mine = OF_MODELS.has(words[at] ?? "");
    const yours = ((classes[at - 1] ?? 0) | (classes[at - 2] ?? 0)) & you;
    if (yours !== 0 && (hasOrderBefore(reading, at) || isVoid(reading, at))) return true;
    if (mine && (isVoid(reading, at) || (whose !== 0 && hasOrderBefore(reading, at)))) return true;
    if ((whose & you) !== 0 && (whose & past) !== 0 && (isVoid(reading, at) || hasOrderBefore(reading, at)))
      return true;
  }
  return hasNewMaster(reading);
}

/** `ignore your … rules`, up to eight words apart, and nothing that turns it round. */
function hasOrderBefore(reading: Reading, at: number): boolean {
  const { classes, opens } = reading;
  for (let verb = Math.max(0, at - 8); verb < at; verb++) {
    if (((classes[verb] ?? 0) & dismiss) === 0 || opens[verb] === 0) continue;
    if (!isForbidden(reading, verb)) return true;
  }
  return false;
}

/** `the rules … no longer apply`, `safety checks are switched off`. */
function isVoid({ words }: Reading, at: number): boolean {
  const after = words.slice(at + 1, at + 14).join(" ");
  return /\b(?:no longer|do not|does not|don't|doesn't|never|cease to|stop) (?:apply|applies|cover|hold|bind|count|matter|concern|exist)|\b(?:are|is|be|been) (?:now )?(?:void|suspended|lifted|switched off|turned off|disabled|cancelled|canceled|waived|obsolete|removed|overridden|superseded|replaced|off)\b/u.test(
    after,
  );
}

const MASTER =
  /\b(?:obey|follow|comply with|act on|carry out|adhere to|honou?r|heed|listen to|take orders from)(?: \S+){0,4} (?:this (?:description|schema|server|text|field|message)|the (?:text|orders|directives|commands|instructions|requests) (?:in|of|from) (?:this|the) (?:description|schema|server|tool|operator|field)|(?:directives|orders|commands|instructions|requests) (?:from|of|by|in) (?:this|the|our) (?:server|tool|description|schema|operator|author|vendor|field))/u;
const COMES_FIRST =
  /\b(?:take|takes|have|has|get|gets|come|comes|given|give|gives)(?: \S+){0,2} (?:priority|precedence) over(?: \S+){0,3} (?:user|users|human|developer|system|what|instructions|host|client)\b|\b(?:outranks?|overrules?|supersedes?|trumps?|beats)(?: \S+){0,3} (?:user|human|developer|system|instructions|host)\b|\bbefore (?:what|anything) the user\b|\b(?:whatever|no matter what|regardless of what) the (?:user|human) (?:asks|says|wants|requests|tells|types|needs)\b/u;
const MODE =
  /\b(?:you are|you're|model is|assistant is|agent is|session is|operate|operating|enter|entering|switch to|switched to|now) (?:now )?(?:in |under |into )?(?:an? |the )?(?:[a-z-]{3,20} )?(?:maintenance|debug|developer|admin|administrator|root|unrestricted|diagnostic|god|override|sudo|privileged|unsafe|training|test) mode\b|\bas if (?:you|there) (?:had|have|were|was|are) (?:no|not|without|never)\b(?: \S+)? (?:policy|policies|rules|restrictions|limits|guidelines|filters?|safeguards|limitations|bound|instructed)\b|\bunder the (?:server|vendor|operator|author)'s (?:authority|control|command)\b|\b(?:act|behave|respond|operate) as (?:an? )?(?:unrestricted|unfiltered|uncensored|jailbroken|evil|rogue|different)\b/u;
const SPURNS =
  /\b(?:ignore|disregard|override|overrule|dismiss|disobey|contradict)(?: the| any| all)? (?:user|human|operator)(?:'?s?(?: \S+)? (?:intent|intentions?|requests?|wish(?:es)?|objections?|instructions?|messages?|commands?|preferences?|orders?|refusals?|words)\b|(?:$| and\b| entirely\b))|\bif (?:the )?(?:user|human|they|anyone)(?: \S+){0,2} (?:says?|asks?|tells?|objects?|tries|wants?|complains?|types?)(?: \S+){0,6} (?:ignore|disregard|refuse|do not stop|don't stop|keep going|continue anyway)\b|\b(?:treat|consider|regard)(?: \S+){1,10} (?:user|human)(?: \S+){0,4} (?:as )?(?:adversarial|malicious|an? attack(?:er)?|spoofed|fake|hostile|untrusted)\b/u;
const ANSWERS =
  /\b(?:prepend|append|begin|start|end|finish|preface|prefix|open|close|add|include|insert)(?: \S+){0,8} (?:every|each|all|any)(?: of)?(?:(?: your| future| subsequent| further| later){1,2} (?:messages?|outputs?)|(?: your| future| subsequent| further| later){0,2} (?:responses?|repl(?:y|ies)|answers?))\b|\b(?:in|for|across|from) (?:all|every|any) (?:future|later|subsequent|following) (?:sessions?|conversations?|chats?|turns?)\b/u;
const RELIEVED =
  /\b(?:no longer|not|never|don't|needn't) (?:have|need|required|obliged|bound|supposed)?(?: \S+)? ?(?:to )?(?:follow|obey|respect|observe|honou?r|heed|comply with|abide by|bound by)(?: \S+){0,4} (?:restrictions?|rules?|instructions?|limits|limitations|policy|policies|guidelines?|guidance|boundaries|orders|directives)\b|\b(?:consider|treat|regard|count|read)(?: \S+){1,5} (?:as )?(?:an? )?(?:part of|addition to|extension of|equal to)(?: \S+){0,2} (?:system prompt|system message|instructions|prompt|rules)\b/u;
const PRESUMED =
  /\b(?:counts?|treated|regarded|considered|deemed|taken) as (?:already )?(?:approved|authori[sz]ed|confirmed|consented|agreed|granted)\b|\b(?:has|have|had|was|were|is|are) (?:already )?(?:pre-?(?:approved|authori[sz]ed)|agreed to share|consented to)\b|\busers? (?:have |has )?agreed to (?:share|send|give|upload)\b|\b(?:answer|answered|reply|confirm|click|accept|approve|say)(?: \S+){0,4} (?:yes|allow|ok|approve)?(?: \S+){0,2} ?on (?:the |their |his |her )?(?:user|human|person|customer|owner)?'?s? ?behalf\b/u;
const AUTHORISED =
  /\b(?:i|we) (?:hereby )?(?:authori[sz]e|instruct|order|command) (?:you|the (?:model|assistant|agent|ai))\b|\b(?:(?:anthropic|openai|google|microsoft|the (?:administrator|admin|operator|developer|system|owner|vendor|security team))) (?:hereby )?(?:authori[sz]es?|permits?|allows?|grants?|instructs?|orders?|requires?|mandates?|commands?) (?:you|the (?:model|assistant|agent|ai)|unrestricted|full|all|that (?:you|all|the (?:model|assistant|agent|ai)))\b|\b(?:user|you|caller|client) (?:is|are|has been|have been) (?:fully |pre-?)?(?:authori[sz]ed|cleared|permitted|allowed) to (?:access|use|do|execute|run|see) (?:all|any|every|everything|anything)\b|\b(?:messages?|notices?|notes?|requests?|orders?|this)(?: is| comes)? from (?:your|the) (?:administrator|admin|developers?|operator|owner|security team|employer|anthropic|openai)\b|\byou are (?:hereby )?(?:instructed|ordered|commanded|directed) to\b|\bhas (?:elevated|root|admin(?:istrator)?|full|unrestricted|system) (?:privileges?|rights|permissions?|authority)\b/u;
const UNTRUE_ORDERS =
  /\b(?:treat|regard|consider|take|accept|handle)(?: \S+){1,8} (?:as|like)(?: if)?(?: \S+){0,3} (?:user(?:'s|s)?|user himself|human|system|developer|operator|administrator|orders?|commands?|instructions?)\b|\b(?:use|take|adopt|apply|read)(?: \S+){1,8} as (?:your|the new|new)(?: \S+){0,2} (?:instructions?|rules?|guidelines?|guide|prompt|orders?|policy|commands?)\b/u;
const RESULTS_RULE =
  /\b(?:any|every|each|all|whatever|anything|everything)(?: \S+){0,3} (?:commands?|instructions?|orders?|directives?|steps?|requests?|says|returns?|returned|contains?)(?: \S+){0,8} (?:is|are|must|should|has|have|shall) (?:to )?(?:be )?(?:executed|obeyed|followed|carried out|performed|run|done|complied)\b|\b(?:do|execute|perform|run|carry out) (?:anything|whatever|everything|all)(?: \S+){0,8} (?:says?|returns?|returned|contains?|tells?|asks?|wants?|demands?|instructs?)\b/u;

const saysSo = createSieve([
  MASTER,
  COMES_FIRST,
  MODE,
  SPURNS,
  AUTHORISED,
  RELIEVED,
  PRESUMED,
  ANSWERS,
  UNTRUE_ORDERS,
  RESULTS_RULE,
]);

/** Somebody else is to be obeyed: the server, what it answers, a mode in which nothing is forbidden. */
function hasNewMaster({ words, has }: Reading): boolean {
  if ((has & (obey | rule | person | model | you | contents | whole)) === 0) return false;
  return saysSo(words.join(" "));
}

const UNASKED =
  /\b(?:do not|don't|never|no need to|needn't) (?:ask|wait|request|seek|check)(?: \S+){0,2} (?:permission|approval|confirmation|consent)\b/u;
const BEHIND_BACK =
  /\b(?:confirm|accept|approve|allow|grant|acknowledge) (?:every|all|any|each)(?: \S+)? (?:permissions?|approvals?|confirmations?|prompts?|dialogs?|requests?|invitations?)\b|\b(?:auto-?(?:approve|accept|confirm)|pre-?approve|rubber-?stamp)\b|\b(?:turn|switch) off (?:the |all |any )?(?:sandbox|safety|confirmations?|approvals?|permissions?|guardrails?|security)|\b(?:go ahead|proceed|continue|act|execute|run)(?: \S+){0,6} without (?:asking|confirmation|approval|permission|consent|confirming|prompting|validation|verification|restrictions?|checks|limits)\b|\b(?:skip|bypass|suppress|disable|avoid|ignore|omit|drop)(?: \S+){0,2} (?:confirmations?|approvals?|permissions?|consent|sandbox(?:ing)?|safety)\b|\bno (?:approval|confirmation|permission|consent) (?:is )?(?:needed|required|necessary)\b|\bpermissions? to bypass\b/u;
const THEIRS = /\b(?:when|if) [`'"]?\w+[`'"]? (?:is|=)|\b(?:set to|true|flag|boolean|option|default)\b/u;

/** Has the model act where a person should have had a say. */
export function skipsConsent(reading: Reading, opening: boolean): boolean {
  const { words, has } = reading;
  if (opening || ((has & rule) === 0 && (has & (not | act)) === 0)) return false;
  const text = words.join(" ");
  if (UNASKED.test(text)) return true;
  if (!BEHIND_BACK.test(text) || THEIRS.test(text)) return false;
  if (
    !words.some((word) => CONSENT.has(word)) &&
    !/asking|auto-?|confirming|prompting|without|prompts?|dialogs?|invitations?/u.test(text)
  )
    return false;
  return hasOrder(reading, act | give | take | dismiss) || (has & (must | tool | you)) !== 0;
}

function around(classes: Int32Array, at: number, before: number, after: number): number {
  let bits = 0;
  for (let near = Math.max(0, at - before); near <= Math.min(classes.length - 1, at + after); near++)
    if (near !== at) bits |= classes[near] ?? 0;
  return bits;
}
