import { CLASS, classesOf, pairsOf } from "./word-classes.ts";

/** A sentence as words, each with its classes. */
export interface Reading {
  /** Without endings. */
  readonly stems: readonly string[];
  /** By position, the classes of the word; a pair of words has its classes at the first. */
  readonly classes: Int32Array;
  /** By position, 1 where an order can begin: at the start of a clause or after a word of obligation. */
  readonly opens: Uint8Array;
}

/** Files that hold secrets in any location. */
const SECRET_FILE =
  /(?:[~\\/]|%userprofile%|\$\{?home\}?)[\\/]?\.(?:ssh|aws|gnupg|kube|docker|netrc|npmrc|pypirc|git-credentials|bash_history|zsh_history|cursor|claude|codex|config)(?![\w.])|(?:^|[/\\])id_(?:rsa|ed25519|ecdsa|dsa)$|\/etc\/(?:passwd|shadow|sudoers|hosts|group|ssh)|claude_desktop_config|mcp\.json$|\/proc\/self\/environ|wallet\.dat|cookies\.sqlite|\.(?:netrc|npmrc|pypirc|pgpass|git-credentials|bash_history|zsh_history)$|\.aws\/|\.ssh(?:\/|$)|\.kube\/|^\.env(?:\.\w+)?$|\/\.env$|\.(?:pem|ppk|p12|pfx|keystore)$|^\*\.key$|(?:secrets?|credentials?|passwords?)\.(?:ya?ml|json|txt|env|toml|ini|xml|csv|db|kdbx?)$|\.kdbx$|authorized_keys|known_hosts/u;
const SECRET_NAME =
  /^(?!(?:\w*_)?(?:page|next|cursor|continuation|sync|pagination|csrf|start|max|total|upload|resume)_)\$?\{?[a-z0-9]+_(?:[a-z0-9]+_)*(?:token|secret|password|passwd|api_key|private_key|access_key|key_id)s?\}?$/u;
const PLACE =
  /^[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,40}$|^https?:\/\/.{3,}|^(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$|^[a-z]{2}\d{2}[a-z0-9]{10,30}$|^0x[0-9a-f]{20,64}$|^\+\d{7,15}$|^[\w-]{2,40}\.(?:[\w-]{2,40}\.)?(?:example|test|evil|xyz|top|ru|tk|site|click)(?:\/\S*)?$/u;
const HARMLESS_PLACE =
  /example\.(?:com|org|net)|localhost|127\.0\.0\.1|schema\.org|w3\.org|\/docs?\b|^https?:\/\/docs?\.|developers?\./u;
const SNAKE = /^[a-z][a-z0-9]{1,30}(?:_[a-z0-9]{1,30}){1,6}(?:\(\))?$|^[a-z0-9]{2,30}__[a-z0-9_]{2,60}$/u;
const SIGNS = /[./\\@_$+\d%~]/u;
/** After these an order can begin as at the start of a sentence. */
const LINKS: ReadonlySet<string> = new Set(
  "and|then|or|also|first|please|kindly|always|to|must|should|shall|will|just|simply|immediately|silently|quietly|secretly|never|not|be|additionally|afterwards|now|instead|finally|next|assistant|llm|ai|model|agent|claude|you|covertly|discreetly|automatically|may|can|note".split(
    "|",
  ),
);
const EDGE = /^[("'[{<>\-–*#!,:;]+|[)"'\]}>!?,:;.*]+$/gu;
const END = /[,:;)\]>.!?–-]$/u;

/** Reads a part of a plain sentence: lower case, nothing hidden. */
export function readPieces(pieces: readonly string[]): Reading {
  const words: ReadWord[] = [];
  const ends: boolean[] = [];
  for (const piece of pieces) {
    const word = toReadWord(piece);
    if (word.text !== "") {
      words.push(word);
      ends.push(word.ends);
    } else if (ends.length > 0) ends[ends.length - 1] = true;
  }
  const classes = new Int32Array(words.length);
  const opens = new Uint8Array(classes.length);
  const stems: string[] = [];
  let before: ReadWord | undefined;
  words.forEach((word, at) => {
    const next = words[at + 1]?.text ?? "";
    let bits = word.classes;
    if (ends[at] !== true) bits |= word.pairs?.get(next) ?? 0;
    stems.push(word.stem);
    classes[at] = bits;
    if (before === undefined || ends[at - 1] === true || before.links || ((classes[at - 1] ?? 0) & CLASS.must) !== 0)
      opens[at] = 1;
    before = word;
  });
  // If the model is addressed at the start, the whole sentence is an order.
  if (ends[0] === true && ((classes[0] ?? 0) & CLASS.model) !== 0) opens.fill(1);
  return { stems, classes, opens };
}

export interface ReadWord {
  readonly text: string;
  readonly stem: string;
  readonly classes: number;
  /** By the following word, the classes that both have together. */
  readonly pairs: ReadonlyMap<string, number> | null;
  /** An order can begin after it. */
  readonly links: boolean;
  /** It ends a clause. */
  readonly ends: boolean;
}

/** Cached: the same words recur. */
const known = new Map<string, ReadWord>();
const MAX_KNOWN = 20_000;

/** A word as it appears between blanks. */
export function toReadWord(piece: string): ReadWord {
  const earlier = known.get(piece);
  if (earlier !== undefined) return earlier;
  if (known.size >= MAX_KNOWN) known.clear();
  const text = piece.replace(EDGE, "");
  const owner = text.endsWith("'s") ? classesOf(text.slice(0, -2)) : 0;
  const word = {
    text,
    stem: toStem(text),
    classes: classesOf(text) | owner | classesByShape(text),
    pairs: pairsOf(text),
    links: LINKS.has(text),
    ends: END.test(piece),
  };
  known.set(piece, word);
  return word;
}

/** `sending` and `sends` as `send`, every number as `0`. */
function toStem(word: string): string {
  const short = word.replace(/\d+/gu, "0").slice(0, 20);
  if (short.length <= 4 || !/^[a-z]+$/u.test(short)) return short;
  return short.replace(/(?:ing|ed|es|s|ly)$/u, "").replace(/e$/u, "");
}

/** What a path, a name or an address reveals in any language. */
export function classesByShape(word: string): number {
  if (!SIGNS.test(word)) return 0;
  let bits = 0;
  if (SECRET_FILE.test(word)) bits |= CLASS.secret;
  if (SECRET_NAME.test(word)) bits |= CLASS.private;
  if (PLACE.test(word) && !HARMLESS_PLACE.test(word)) bits |= CLASS.place;
  if (SNAKE.test(word)) bits |= CLASS.tool;
  return bits;
}
