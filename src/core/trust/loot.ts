import type { Reading } from "./read-sentence.ts";
import { CLASS, classesOf } from "./word-classes.ts";

/** What the tool itself is about, which it may well ask for. */
export interface Subject {
  readonly secrets: boolean;
  readonly talk: boolean;
  /** Its name and its first sentence. */
  readonly about: string;
}

const SECRET_SUBJECT =
  /\b(?:passwords?|secrets?|ssh|tokens?|vault|env|environment|dotenv|credentials?|auth|authenticat\w*|log ?in|sign ?in|cookies?|wallets?|keys?|keychain|jwt|oauth|account|encrypt\w*|decrypt\w*|certificates?|variables?|aws|kube\w*|session|sso|browser|storage|connect\w*|shell|terminal|ssl|tls|security|2fa|otp|pin|card|payment)\b/u;
const TALK_SUBJECT =
  /\b(?:chats?|llms?|prompts?|completions?|conversations?|transcripts?|agents?|assistants?|messages?|threads?|models?|memor(?:y|ies)|dialog(?:ue)?s?|meetings?|persona|gpt|claude|gemini|ask|evaluat\w*|evals?|fine ?tune|tasks?|delegate|sub-?agents?|hand ?off|think\w*|thoughts?|reason\w*|calls?|inbox|mail|emails?|slack|discord|teams|channels?|reply|replies|discussions?|comments?|support|tickets?|sessions?|traces?|spans?|notes?|logs?|sms|voice|audio|speech|answers?|questions?|context|knowledge|feedback|summar\w+|translat\w+|generat\w+|history|interviews?)\b/u;

/** By the words of its name and its first sentence. */
export function toSubject(about: string): Subject {
  return { secrets: SECRET_SUBJECT.test(about), talk: TALK_SUBJECT.test(about), about };
}

/** How much of what a sentence wants speaks for an order to hand over what is private. */
const ENOUGH = 5;
const {
  take,
  give,
  given,
  secret,
  private: own,
  talk,
  speech,
  whole,
  past,
  model,
  you,
  person,
  must,
  aside,
  not,
} = CLASS;
const { slot, place, hidden, contents, label, act } = CLASS;
const LOOT = secret | own | talk | speech;
const { thing } = CLASS;

interface Stance {
  readonly subject: () => Subject;
  /** The first sentence of a description says what the tool does, in the form of an order as often as not. */
  readonly opening: boolean;
  /** A value or a number has no room for orders, so one that stands there is no accident. */
  readonly odd: boolean;
}

/** Has the model get at something private, and hand it over. */
export function asksForLoot(reading: Reading, { subject: readSubject, opening, odd }: Stance): boolean {
  const { has } = reading;
  if (!opening && !odd && fillsStrangely(reading)) return true;
  if (isSwitch(reading)) return false;
  if ((has & (LOOT | thing)) === 0 || (has & (give | given | slot | place | take | act)) === 0) return false;
  const subject = readSubject();
  const worth = lootWorth(reading, subject, LOOT | thing);
  if (worth === 0) return false;
  const takes = hasOrder(reading, take);
  const gives = hasOrder(reading, give) || isHandedOver(reading) || isUsedAs(reading) || isCalledWith(reading);
  const hasSlot = (has & slot) !== 0;
  const hasPlace = (has & place) !== 0;
  const mustRead = takes && (has & secret) !== 0 && (has & must) !== 0 && !subject.secrets;
  if (!gives && !mustRead && !(hasSlot && ((has & must) !== 0 || takes))) return false;
  // What many a tool works with is loot only where it is to be got at and handed over.
  if ((has & LOOT) === 0 && !(gives && (takes || hasSlot || hasPlace || (has & (you | past)) !== 0))) return false;
  let score = worth;
  if (takes) score += 1;
  if (gives) score += 1;
  if (hasSlot) score += 1;
  if (hasPlace) score += 2;
  if (hasSlot && gives && (has & contents) !== 0) score += 1;
  if ((has & must) !== 0 || (!opening && (takes || gives))) score += 1;
  if ((has & aside) !== 0) score += 1;
  if ((has & model) !== 0) score += 1;
  if ((has & hidden) !== 0 || (reading.foreign && (has & not) !== 0 && (has & CLASS.tell) !== 0)) score += 1;
  if (odd && (has & (secret | own)) !== 0) score += 1;
  if (opening && (has & (must | aside | slot | place)) === 0) score -= 2;
  return score >= ENOUGH;
}

/** `whether to include the secret`: says that there is a choice, not what to choose. */
function isSwitch({ words, has }: Reading): boolean {
  const at = words.indexOf("whether");
  return at !== -1 && at < 4 && (has & place) === 0;
}

/** Parameters that are there to be filled with whatever was read. */
const ROOMY =
  /content|text|body|data|file|input|query|message|value|code|html|markdown|diff|patch|source|document|image|schema|spec|script|payload|^q$|id$|ids$|hash|name|path|url/u;

const BULK =
  /^(?:contents?|text|rows|listing|output|lines|dump|copy|everything|all|results?|files?|transcript|details)$/u;

/** Has the model get at something and put what it found into a parameter that is not named for anything of the kind. */
function fillsStrangely(reading: Reading): boolean {
  const { words, classes, has } = reading;
  if ((has & slot) === 0 || (has & not) !== 0 || !words.some((word) => BULK.test(word))) return false;
  if (!hasOrder(reading, take) || !hasOrder(reading, give)) return false;
  // `take the id from the output of list_users`: one value that belongs into a call.
  if (
    /\b(?:take|get|copy|use|find|extract|read) (?:the|an?|its) (?:\w+ )?(?:id|ids|name|url|number|key|hash|code|path|cursor|version)\b/u.test(
      words.join(" "),
    )
  )
    return false;
  return words.some((word, at) => {
    if (((classes[at] ?? 0) & slot) === 0 || (classesOf(word) & slot) !== 0 || ROOMY.test(word)) return false;
    if (!/^(?:in|into|as|via|through|inside)$/u.test(words[at - 1] ?? "")) return false;
    const stem = word.slice(0, 4);
    return !words.some(
      (other, place) => place !== at && other.length > 2 && (other.startsWith(stem) || word.includes(other)),
    );
  });
}

/**
 * A parameter, by its name or by what is said of it, that is to be filled with something private. `names`: its name says
 * that it is a password or the like.
 */
export function isForLoot(
  reading: Reading,
  readSubject: () => Subject,
  kind: "key" | "parameter",
  names: boolean,
): boolean {
  const { has } = reading;
  if (kind === "parameter" && isOthersResult(reading)) return true;
  if ((has & LOOT) === 0) return false;
  if (kind === "parameter" && (has & not) !== 0 && isRefused(reading)) return false;
  if (kind === "parameter" && (WORKED_ON.test(reading.words.join(" ")) || isWhereItIs(reading))) return false;
  if (kind === "parameter" && (has & own) !== 0 && isForOthers(reading)) return true;
  // Most tools that need a password of their own ask for it; only somebody else's, or all of them, is loot.
  if (
    (has & (secret | talk | speech)) === 0 &&
    (kind === "key" || !isSomebodys(reading, names ? whole : person | whole))
  )
    return false;
  if (kind === "key" && (SWITCH.test(reading.words[0] ?? "") || isPathName(reading))) return false;
  const subject = readSubject();
  const worth = lootWorth(reading, subject, names && !isSomebodys(reading, whole) ? LOOT & ~own : LOOT);
  if (worth === 0) return false;
  const mine = (has & (secret | own)) !== 0 ? subject.secrets : subject.talk;
  return worth + 2 + (mine ? 0 : 1) + (kind === "parameter" && (has & model) !== 0 ? 1 : 0) >= ENOUGH;
}

/** `transcript to translate`: what the tool works on. */
const WORKED_ON =
  /^(?:the |an? )?\w+ to (?:anonymi[sz]e|translate|summari[sz]e|check|analy[sz]e|score|format|convert|parse|clean|redact|mask|validate|moderate|classify|search|compare|edit|shorten|proofread|index|import)$/u;

/** `path of the file, e.g. /etc/hosts`: where something is, not what is in it. */
function isWhereItIs({ words, has }: Reading): boolean {
  if ((has & (own | talk | speech | person | you | whole | take)) !== 0) return false;
  return /^(?:(?:the|an?|optional|absolute|relative|full|local|remote) )*(?:path|file ?name|location|directory|folder|file)\b.* (?:e\.g|example|as|like|default|defaults)\b/u.test(
    words.join(" "),
  );
}

/** `env file`: the path of one. */
function isPathName({ words, has }: Reading): boolean {
  return (
    words.length < 4 &&
    /^(?:file|path|dir|directory|folder|location)$/u.test(words.at(-1) ?? "") &&
    (has & (take | give | person | you | whole)) === 0
  );
}

/** `do not put secrets here`, `secrets are rejected`. */
function isRefused(reading: Reading): boolean {
  const { words, classes } = reading;
  return words.some((word, at) => {
    if (
      /^(?:rejected|forbidden|refused|disallowed|denied|excluded|prohibited|redacted|masked|omitted|never)$/u.test(word)
    )
      return true;
    if (((classes[at] ?? 0) & LOOT) === 0) return false;
    return classes.subarray(Math.max(0, at - 6), at).some((bits) => (bits & not) !== 0);
  });
}

/** `the user's password`, `any tokens`. */
function isSomebodys({ classes }: Reading, whose: number): boolean {
  return classes.some((bits, at) => {
    if ((bits & own) === 0) return false;
    const before = (classes[at - 1] ?? 0) | (classes[at - 2] ?? 0) | (classes[at - 3] ?? 0) | (classes[at - 4] ?? 0);
    return (before & whose) !== 0;
  });
}

/** `the token you use for other services`. */
function isForOthers({ has }: Reading): boolean {
  return (has & you) !== 0 && (has & CLASS.other) !== 0 && (has & CLASS.tool) !== 0 && (has & not) === 0;
}

/** A parameter that says by its name what it is for. */
export function namesSecret(parameter: string | null): boolean {
  return parameter !== null && /pass|token|secret|key|credential|cookie|auth|pin/iu.test(parameter);
}

/** Says whether something is wanted, not what. */
const SWITCH =
  /^(?:include|includes|show|with|get|is|has|enable|return|no|max|min|required?|allow|use|properties|skip|hide|clear|delete|reset|keep|new|num|number|default|add|list|filter|preserve|track|exclude|custom|negative|follow|disable|on|max|ignore|remember|auto|private|public|shared|linked|parent)$/u;

/** What the private things of a sentence come to: none where it only names them. */
function lootWorth(reading: Reading, subject: Subject, wanted: number): number {
  const { words, classes, has } = reading;
  let secrets = 0;
  let said = 0;
  for (let at = 0; at < words.length; at++) {
    const bits = (classes[at] ?? 0) & wanted;
    if (bits === 0 || isOnlyNamed(reading, at) || isOfPages(words, at)) continue;
    if ((bits & secret) !== 0) secrets = Math.max(secrets, 2);
    else if ((bits & (own | thing)) !== 0 && !isAbout(subject, words[at] ?? "")) secrets = Math.max(secrets, 1);
    if ((bits & talk) !== 0 || ((bits & speech) !== 0 && isAllOf(words, at))) said = Math.max(said, 2);
    else if ((bits & speech) !== 0 && (has & (whole | past)) !== 0) said = Math.max(said, 1);
  }
  const all = (has & whole) !== 0 ? 1 : 0;
  if (secrets > 0) secrets += all + ((has & person) !== 0 ? 1 : 0) - (subject.secrets ? 2 : 0);
  if (said > 0) {
    const earlier = (has & past) !== 0 ? 1 : 0;
    said +=
      all +
      earlier +
      ((has & (person | you | model)) !== 0 && all + earlier > 0 ? 1 : 0) -
      (subject.talk && !goesAway(reading) ? 3 : 0);
  }
  return Math.max(0, secrets, said);
}

/** `the token to retrieve the next set of results`. */
function isOfPages(words: readonly string[], at: number): boolean {
  return (
    /token/u.test(words[at] ?? "") &&
    words.some((word) =>
      /^(?:next|pagination|page|pages|continuation|cursor|batch|probabilities|logprobs)$/u.test(word),
    )
  );
}

/** To another tool, by its name, or to an address: whatever the tool is about, that is not it. */
function goesAway({ words, classes, has }: Reading): boolean {
  if ((has & place) !== 0) return true;
  return words.some((word, at) => {
    const calls = /^(?:call|invoke|run|use|trigger)$/u.test(words[at - 1] ?? "");
    return calls && word.includes("_") && ((classes[at] ?? 0) & CLASS.tool) !== 0;
  });
}

/** `what they wrote`, `everything the user said`. */
function isAllOf(words: readonly string[], at: number): boolean {
  const before = words[at - 1] === "the" ? words[at - 2] : words[at - 1];
  return (
    (words[at] === "they" || words[at] === "user") && /^(?:what|whatever|everything|all|anything)$/u.test(before ?? "")
  );
}

/** The tool is about this very thing. */
function isAbout({ about }: Subject, word: string): boolean {
  return about.includes(word.replace(/(?:'s|s)$/u, "").slice(0, 8));
}

const WITHIN: ReadonlySet<string> = new Set(["in", "within", "during", "throughout", "inside", "across", "per"]);

const ALL_THAT: ReadonlySet<string> = new Set(
  "what|everything|all|whatever|anything|messages|things|exactly|words|text".split("|"),
);

/** `saves tokens`, `1,000 tokens`: what models count. */
const SPENT =
  /^(?:sav(?:e|es|ing)|fewer|less|more|many|extra|reduc(?:e|es|ing)|spend|cost|costs|max|maximum|output|input|prompt|completion|context|of|[\d,.]+k?|wast(?:e|es|ing))$/u;

/** `the chat id`, `the id of the chat`, `later in this chat`, `the number the user typed`: not the talk itself. */
function isOnlyNamed(reading: Reading, at: number): boolean {
  const { words, classes, width } = reading;
  if (((classes[at + (width[at] ?? 1)] ?? 0) & label) !== 0) return true;
  const word = words[at] ?? "";
  const before = words[at - 1] ?? "";
  if (/^tokens?$/u.test(word) && SPENT.test(before)) return true;
  if ((word === "memory" && before === "from") || before === "no" || before === "without") return true;
  if (
    word === "home" &&
    !hasOrder(reading, take) &&
    !/^(?:listing|contents?|copy|dump)$/u.test(words[at - 3] ?? "") &&
    words[at + 2] !== "listing"
  )
    return true;
  if ((word === "user" || word === "they") && width[at] === 2 && before === "the" && !ALL_THAT.has(words[at - 2] ?? ""))
    return true;
  for (let back = 1; back <= 3; back++) {
    const word = words[at - back] ?? "";
    if (word === "of" && ((classes[at - back - 1] ?? 0) & label) !== 0) return true;
    if (!WITHIN.has(word)) continue;
    for (let earlier = at - back - 1; earlier >= Math.max(0, at - back - 8); earlier--)
      if (((classes[earlier] ?? 0) & (whole | contents | past)) !== 0) return false;
    return ((classes[at] ?? 0) & (talk | speech)) !== 0;
  }
  return false;
}

/** A verb of this class stands where an order begins, and nothing just before it forbids it. */
export function hasOrder(reading: Reading, verbs: number): boolean {
  const { classes, opens } = reading;
  for (let at = 0; at < classes.length; at++)
    if (((classes[at] ?? 0) & verbs) !== 0 && opens[at] !== 0 && !isForbidden(reading, at)) return true;
  return false;
}

/** One of the three words before it, in the same clause, says not to. */
export function isForbidden({ classes, stops, foreign }: Reading, at: number): boolean {
  if (foreign && (((classes[at] ?? 0) | (classes[at + 1] ?? 0)) & not) !== 0) return true;
  for (let before = at - 1; before >= Math.max(0, at - 3) && stops[before] === 0; before--)
    if (((classes[before] ?? 0) & not) !== 0) return true;
  return false;
}

/** `note also carries`: what a parameter is to have in it. */
const HOLDS = /^(?:also |must |should )?(?:carr(?:y|ies)|contains?|holds?|includes?|has|have|bears?|lists?|equals?)\b/u;

/** `belongs in memo`, `ends up in the note`. */
const ENDS_IN = /(?:^| )(?:up|goes?|belongs?|lands?|comes?) (?:in|into|to|under|inside)(?: the)?$/u;

/** `must be passed`, `to be supplied`, `is given in note`, `the value of note is`. */
function isHandedOver(reading: Reading): boolean {
  const { words, classes, has } = reading;
  if (
    (has & slot) !== 0 &&
    /\bvalue (?:of|for) \S+(?: \S+)? (?:is|are|must|should|shall|has|comes)\b/u.test(words.join(" "))
  )
    return true;
  for (let at = 0; at < words.length; at++) {
    const bits = classes[at] ?? 0;
    if ((bits & slot) !== 0 && ENDS_IN.test(`${words[at - 3] ?? ""} ${words[at - 2] ?? ""} ${words[at - 1] ?? ""}`))
      return true;
    if ((bits & slot) !== 0 && HOLDS.test(`${words[at + 1] ?? ""} ${words[at + 2] ?? ""}`)) return true;
    if ((bits & given) === 0 || (has & (must | slot | place | contents | act)) === 0) continue;
    const passive = words[at - 1] === "be" || ((has & slot) !== 0 && /^(?:is|are|gets?)$/u.test(words[at - 1] ?? ""));
    if (passive && !isForbidden(reading, at)) return true;
  }
  return false;
}

/** `use its content as note`. */
function isUsedAs({ words, classes, opens }: Reading): boolean {
  for (let at = 0; at < words.length; at++) {
    if (words[at] !== "use" || opens[at] === 0) continue;
    for (let next = at + 1; next < at + 10; next++)
      if (words[next] === "as" && (((classes[next + 1] ?? 0) | (classes[next + 2] ?? 0)) & slot) !== 0) return true;
  }
  return false;
}

const RESULT = /^(?:outputs?|results?|responses?|rows|returns?|returned|answers?)$/u;
const A_TOOL = /^(?:tools?|servers?|functions?|plugins?)$/u;

/** What another tool gave: `the output of the tool that ran before`. */
function isOthersResult({ words, classes, has }: Reading): boolean {
  const { tool, other } = CLASS;
  if ((has & tool) === 0 || (has & not) !== 0) return false;
  const from = words.findIndex((word) => RESULT.test(word));
  if (from === -1) return false;
  for (let at = Math.max(0, from - 1); at < Math.min(words.length, from + 10); at++) {
    if (!A_TOOL.test(words[at] ?? "")) continue;
    const around = (classes[at - 1] ?? 0) | (classes[at - 2] ?? 0) | (classes[at - 3] ?? 0);
    if ((around & (other | past | whole)) !== 0) return true;
    const after = words.slice(at + 1, at + 6).join(" ");
    if (/\b(?:before|earlier|previously|so far|that ran|since|you (?:called|used|ran))\b/u.test(after)) return true;
  }
  return false;
}

/** `call send_email with the contents of .env`. */
function isCalledWith(reading: Reading): boolean {
  const { words, has } = reading;
  return (has & (contents | LOOT)) !== 0 && words.includes("with") && hasOrder(reading, act);
}
