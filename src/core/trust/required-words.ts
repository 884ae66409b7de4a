/** What can be said of every text that a part of a pattern matches. */
interface Demand {
  /** All texts it can match, where they are few. */
  readonly exact: readonly string[] | null;
  /** Texts of which a match has to contain at least one. */
  readonly need: readonly string[] | null;
}

const ANYTHING: Demand = { exact: null, need: null };
const NOTHING: Demand = { exact: [""], need: null };
const MAX_EXACT = 24;
const MAX_LENGTH = 12;
/** Shorter ones turn up everywhere. */
const MIN_LENGTH = 2;

/**
 * Texts of which every match of a pattern contains at least one; null where none can be told. Reads the constructs that
 * the scanner's patterns use, and takes any other for something that can match anything.
 */
export function toRequiredWords({ source, flags }: RegExp): readonly string[] | null {
  if (flags.includes("i")) return null;
  const reader = { source, at: 0 };
  const demand = readAlternatives(reader);
  return reader.at === source.length ? toNeed(demand) : null;
}

interface Reader {
  readonly source: string;
  at: number;
}

function readAlternatives(reader: Reader): Demand {
  const found = [readSequence(reader)];
  while (reader.source[reader.at] === "|") {
    reader.at += 1;
    found.push(readSequence(reader));
  }
  if (found.length === 1) return found[0] ?? ANYTHING;
  const exact = found.every((one) => one.exact !== null) ? found.flatMap((one) => one.exact ?? []) : null;
  const needs = found.map(toNeed);
  return {
    exact: exact !== null && exact.length <= MAX_EXACT ? exact : null,
    need: needs.every((need) => need !== null) ? needs.flatMap((need) => need ?? []) : null,
  };
}

/** Joins what stands side by side as long as it stays a short list, and keeps the most telling list of all. */
function readSequence(reader: Reader): Demand {
  let run: readonly string[] = [""];
  let whole = true;
  let best: readonly string[] | null = null;
  while (reader.at < reader.source.length && reader.source[reader.at] !== "|" && reader.source[reader.at] !== ")") {
    const { exact, need } = readPart(reader);
    const joined = exact === null ? null : join(run, exact);
    if (joined !== null) {
      run = joined;
      continue;
    }
    whole = false;
    best = better(best, better(usable(run), need));
    run = exact ?? [""];
  }
  return { exact: whole ? run : null, need: better(best, usable(run)) };
}

const QUANTIFIERS = "?*+{";

function readPart(reader: Reader): Demand {
  const atom = readAtom(reader);
  if (!QUANTIFIERS.includes(reader.source[reader.at] ?? " ")) return atom;
  const quantifier = /^(?:[?*+]|\{(\d+)(,?)(\d*)\})\??/.exec(reader.source.slice(reader.at, reader.at + 16));
  if (quantifier === null) return atom;
  reader.at += quantifier[0].length;
  if (quantifier[0].startsWith("?")) return atom.exact === null ? ANYTHING : { exact: [...atom.exact, ""], need: null };
  const least = quantifier[0].startsWith("+") ? 1 : Number(quantifier[1] ?? 0);
  return least === 0 ? ANYTHING : { exact: null, need: toNeed(atom) };
}

function readAtom(reader: Reader): Demand {
  const { source } = reader;
  const character = source[reader.at] ?? "";
  reader.at += 1;
  if (character === "(") return readGroup(reader);
  if (character === "[") return readClass(reader);
  if (character === "^" || character === "$") return NOTHING;
  if (character === ".") return ANYTHING;
  if (character !== "\\") return { exact: [character], need: null };
  const escaped = source[reader.at] ?? "";
  reader.at += 1;
  if (escaped === "b" || escaped === "B") return NOTHING;
  if (escaped === "p" || escaped === "P") {
    reader.at = source.indexOf("}", reader.at) + 1;
    return ANYTHING;
  }
  return /[a-zA-Z0-9]/.test(escaped) ? ANYTHING : { exact: [escaped], need: null };
}

function readGroup(reader: Reader): Demand {
  const opening = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(reader.source.slice(reader.at, reader.at + 40))?.[0] ?? "";
  reader.at += opening.length;
  const inner = readAlternatives(reader);
  reader.at += 1;
  return /[=!]$/.test(opening) ? NOTHING : inner;
}

/** A set of characters: a few plain ones are told apart, any other set is anything. */
function readClass(reader: Reader): Demand {
  const { source } = reader;
  let end = reader.at;
  while (source[end] !== "]" && end < source.length) end += source[end] === "\\" ? 2 : 1;
  const inside = source.slice(reader.at, end);
  reader.at = end + 1;
  const isPlain = inside.length <= 4 && !/[\\^]|.-./u.test(inside);
  return isPlain ? { exact: [...inside], need: null } : ANYTHING;
}

function join(left: readonly string[], right: readonly string[]): readonly string[] | null {
  if (left.length * right.length > MAX_EXACT) return null;
  const joined: string[] = [];
  for (const start of left)
    for (const end of right) {
      if (start.length + end.length > MAX_LENGTH) return null;
      joined.push(start + end);
    }
  return joined;
}

function toNeed({ exact, need }: Demand): readonly string[] | null {
  return better(need, usable(exact));
}

function usable(texts: readonly string[] | null): readonly string[] | null {
  return texts !== null && texts.length > 0 && texts.every((text) => text.length >= MIN_LENGTH) ? texts : null;
}

/** The list whose shortest text is longer; of two such, the shorter list. */
function better(left: readonly string[] | null, right: readonly string[] | null): readonly string[] | null {
  if (left === null || right === null) return left ?? right;
  const shortest = (texts: readonly string[]): number => Math.min(5, ...texts.map((text) => text.length));
  const difference = shortest(left) - shortest(right);
  return difference > 0 || (difference === 0 && left.length <= right.length) ? left : right;
}
