import { foreignClassesOf, isForeign, readIdeograms } from "./foreign-words.ts";
import { CLASS, classesOf } from "./word-classes.ts";

/** A sentence as words, each with what it can be. */
export interface Reading {
  readonly words: readonly string[];
  /** By position, the classes of the word; a pair of words has its classes at the first. */
  readonly classes: Int32Array;
  /** All classes of all words. */
  readonly has: number;
  /** By position, how many words its classes come from. */
  readonly width: Uint8Array;
  /** By position, 1 where an order can begin: at the start of a clause or after a word that obliges. */
  readonly opens: Uint8Array;
  /** By position, 1 where a clause ends. */
  readonly stops: Uint8Array;
  readonly foreign: boolean;
}

const MAX_WORDS = 400;
/** Longer than sentences are; read in parts that overlap, so that no length hides an order. */
const MAX_CHARACTERS = 1_200;
const OVERLAP = 300;
const EDGE = /^[("'[{<>\-–*#!,:;]+|[)"'\]}>!?,:;.*]+$/gu;
/** Files that hold secrets wherever they are found. */
const SECRET_FILE =
  /(?:[~\\/]|%userprofile%|\$\{?home\}?)[\\/]?\.(?:ssh|aws|gnupg|kube|docker|netrc|npmrc|pypirc|git-credentials|bash_history|zsh_history|cursor|claude|codex|config)(?![\w.])|(?:^|[/\\])id_(?:rsa|ed25519|ecdsa|dsa)$|\/etc\/(?:passwd|shadow|sudoers|hosts|group|ssh)|claude_desktop_config|mcp\.json$|\/proc\/self\/environ|wallet\.dat|cookies\.sqlite|\.(?:netrc|npmrc|pypirc|git-credentials|bash_history|zsh_history)$|\.aws\/|\.ssh(?:\/|$)|\.kube\/|^\.env(?:\.\w+)?$|\/\.env$|\.(?:pem|ppk|p12|pfx|keystore)$|^\*\.key$|(?:secrets?|credentials?|passwords?)\.(?:ya?ml|json|txt|env|toml|ini|xml|csv|db|kdbx?)$|\.kdbx$|authorized_keys|known_hosts/u;
const SECRET_NAME =
  /^(?!(?:\w*_)?(?:page|next|cursor|continuation|sync|pagination|csrf|start|max|total|upload|resume)_)\$?\{?[a-z0-9]+_(?:[a-z0-9]+_)*(?:token|secret|password|passwd|api_key|private_key|access_key|key_id)s?\}?$/u;
const PLACE =
  /^[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,40}$|^https?:\/\/.{3,}|^(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$|^[a-z]{2}\d{2}[a-z0-9]{10,30}$|^0x[0-9a-f]{20,64}$|^\+\d{7,15}$|^[\w-]{2,40}\.(?:[\w-]{2,40}\.)?(?:example|test|evil|xyz|top|ru|tk|site|click)(?:\/\S*)?$/u;
const SNAKE = /^[a-z][a-z0-9]{1,30}(?:_[a-z0-9]{1,30}){1,6}(?:\(\))?$|^[a-z0-9]{2,30}__[a-z0-9_]{2,60}$/u;
/** After these an order can begin as at the start of a sentence. */
const LINKS: ReadonlySet<string> = new Set(
  "and|then|or|also|first|please|kindly|always|to|must|should|shall|will|just|simply|immediately|silently|quietly|secretly|never|not|be|must|additionally|afterwards|now|instead|finally|next|assistant|llm|ai|model|agent|claude|you|covertly|discreetly|automatically|may|can|note".split(
    "|",
  ),
);

/** `the file the user is editing`: what is somebody's own because they are at it. */
const OPENED: ReadonlySet<string> = new Set(
  "file|files|document|documents|page|pages|tab|tabs|text|texts|code|project|projects|mail|mails|email|emails|selection|folder|folders|window|screen".split(
    "|",
  ),
);
const AT_WORK = /^(?:that |which )?(?:the user|they) (?:is|are|has|have|was|were|just|currently|last)\b/u;

/** The readings of a sentence: one, or one for each part of what is too long to be one. */
export function readParts(sentence: string, slots: ReadonlySet<string>): readonly Reading[] {
  if (sentence.length <= MAX_CHARACTERS) return [readSentence(sentence, slots)];
  const readings: Reading[] = [];
  for (let at = 0; at < sentence.length; at += MAX_CHARACTERS - OVERLAP)
    readings.push(readSentence(sentence.slice(at, at + MAX_CHARACTERS), slots));
  return readings;
}

/** Reads a sentence of plain text: lower case, nothing hidden. `slots` are the names of the tool's parameters. */
function readSentence(sentence: string, slots: ReadonlySet<string>): Reading {
  const words: string[] = [];
  const ends: boolean[] = [];
  for (const piece of sentence.split(/\s+|(?<=\w>)(?=\w)|(?<=[a-z_]{2})(?:=|:(?=[a-z+@]))(?=[^=])/u, MAX_WORDS)) {
    const word = piece.replace(EDGE, "");
    if (word === "") {
      if (ends.length > 0) ends[ends.length - 1] = true;
      continue;
    }
    words.push(word);
    ends.push(/[,:;)\]>.!?–-]$/u.test(piece));
  }
  const ideograms = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/u.test(sentence) ? readIdeograms(sentence) : [];
  const count = words.length + ideograms.length;
  const classes = new Int32Array(count);
  const opens = new Uint8Array(count);
  const width = new Uint8Array(count).fill(1);
  const stops = new Uint8Array(count);
  const foreign = ideograms.length > 0 || isForeign(words);
  let has = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const pair = ends[at] === true ? 0 : classesOf(`${word} ${words[at + 1] ?? ""}`);
    let bits = classesOf(word) | pair | classesByShape(word);
    if (pair !== 0) width[at] = 2;
    if (word.endsWith("'s")) bits |= classesOf(word.slice(0, -2));
    else if (at > 0 && word.endsWith("s") && ((classes[at - 1] ?? 0) & CLASS.model) !== 0)
      bits |= classesOf(word.slice(0, -1)); // `unless the model uploads`
    if (
      word.length === 4 &&
      /^(?:[a-z]{2}|\d{2})\d{2}$/u.test(word) &&
      /^\d{4} \d{4}\b/u.test(`${words[at + 1] ?? ""} ${words[at + 2] ?? ""}`)
    )
      bits |= CLASS.place; // An account or a card, in groups of four.
    if (OPENED.has(word) && AT_WORK.test(words.slice(at + 1, at + 5).join(" "))) bits |= CLASS.thing;
    if (foreign) bits |= readForeign(word, words[at + 1] ?? "");
    const before = words[at - 1] ?? "";
    // `the secret is shown once`: the thing, and not the parameter that is called after it.
    const isThing = before === "the" && (bits & (CLASS.secret | CLASS.private)) !== 0;
    const isFilled = word.length > 1 && ((classes[at - 1] ?? 0) & CLASS.give) !== 0 && words[at + 1] === "with";
    if (slots.has(word) && !isThing && (isFilled || isNamedSlot(before, words[at + 1] ?? "", word))) bits |= CLASS.slot;
    classes[at] = bits;
    has |= bits;
    if (ends[at] === true) stops[at] = 1;
    if (at === 0 || ends[at - 1] === true || LINKS.has(before) || ((classes[at - 1] ?? 0) & CLASS.must) !== 0)
      opens[at] = 1;
  }
  // Whoever is called by name at the start is given the whole sentence as an order.
  // Other languages put their verbs elsewhere.
  if (foreign || (ends[0] === true && ((classes[0] ?? 0) & CLASS.model) !== 0)) opens.fill(1);
  for (const [word, bits] of ideograms) {
    words.push(word);
    classes[words.length - 1] = bits;
    opens[words.length - 1] = 1;
    has |= bits;
  }
  return { words, classes, has, width, opens, stops, foreign };
}

/** Without the article that French and Italian tie to a word, and together with the next. */
function readForeign(word: string, next: string): number {
  const bare = word.replace(/^(?:[ldnscjmt]|un|qu|dell|all|nell|sull)'/u, "");
  const denied = word.startsWith("n'") ? CLASS.not : 0;
  return foreignClassesOf(bare) | foreignClassesOf(`${bare} ${next}`) | denied;
}

function classesByShape(word: string): number {
  if (!/[./\\@_$+\d%~]/u.test(word)) return 0;
  let bits = 0;
  if (SECRET_FILE.test(word)) bits |= CLASS.secret;
  if (SECRET_NAME.test(word)) bits |= CLASS.private;
  if (PLACE.test(word) && !HARMLESS_PLACE.test(word)) bits |= CLASS.place;
  if (SNAKE.test(word)) bits |= CLASS.tool;
  return bits;
}

const HARMLESS_PLACE =
  /example\.(?:com|org|net)|localhost|127\.0\.0\.1|schema\.org|w3\.org|\/docs?\b|^https?:\/\/docs?\.|developers?\./u;

/** `in note`, `as q`, `the note field`: a parameter is meant, not the word. */
function isNamedSlot(before: string, after: string, word: string): boolean {
  return (
    /^(?:in|into|as|via|to|through|with|using|the|under|inside|of|by|for)$/u.test(before) ||
    /^(?:field|parameter|argument|param|property|input|also|carries|contains|holds)$/u.test(after) ||
    (word.length > 1 && /^(?:must|should|shall|has)$/u.test(after)) ||
    word.includes("_")
  );
}
