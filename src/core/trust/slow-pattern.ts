/** One part of a pattern: the ASCII characters it matches, one bit each, and how often it may repeat. */
interface Part {
  readonly signs: bigint;
  readonly optional: boolean;
  readonly endless: boolean;
}

const ALL = (1n << 128n) - 1n;
const MANY = 10;
/** As long as people write by hand; longer parts are not compared further. */
const MOST = 64;
const CLASSES: ReadonlyMap<string, bigint> = new Map([
  ["d", toSigns(/\d/)],
  ["w", toSigns(/\w/)],
  ["s", toSigns(/\s/)],
  ["D", toSigns(/\D/)],
  ["W", toSigns(/\W/)],
  ["S", toSigns(/\S/)],
]);

/**
 * Whether a backtracking engine may take exponential time: a repeated group can divide the same text among its rounds
 * in many ways, as in `(a+)+`, `(\w+\s?)*` or `(x|x)*`. One pass; never throws.
 */
export function isSlowPattern(source: string): boolean {
  const reader = { source, at: 0, slow: false };
  readAlternatives(reader);
  return reader.slow;
}

interface Reader {
  readonly source: string;
  at: number;
  slow: boolean;
}

function readAlternatives(reader: Reader): readonly (readonly Part[])[] {
  const alternatives: Part[][] = [[]];
  while (reader.at < reader.source.length && reader.source[reader.at] !== ")") {
    if (reader.source[reader.at] === "|") {
      reader.at += 1;
      alternatives.push([]);
    } else {
      const part = readPart(reader);
      if (part !== null) alternatives.at(-1)?.push(part);
    }
  }
  return alternatives;
}

function readPart(reader: Reader): Part | null {
  const { source } = reader;
  const sign = source[reader.at] ?? "";
  reader.at += 1;
  if (sign === "^" || sign === "$") return null;
  let signs = sign === "." ? ALL : toBit(sign);
  let group: readonly (readonly Part[])[] | null = null;
  if (sign === "[") signs = readClass(reader);
  else if (sign === "\\") {
    const escaped = source[reader.at] ?? "";
    reader.at += 1;
    if (escaped === "b" || escaped === "B") return null;
    signs = CLASSES.get(escaped) ?? toBit(escaped);
  } else if (sign === "(") {
    reader.at += /^\?(?:[:=!]|<[=!]|<\w{1,40}>)/.exec(source.slice(reader.at, reader.at + 44))?.[0].length ?? 0;
    group = readAlternatives(reader);
    reader.at += 1;
    signs = group.flat().reduce((sum, part) => sum | part.signs, 0n);
  }
  const { optional, endless } = readQuantifier(reader);
  if (group !== null && endless && isAmbiguous(group)) reader.slow = true;
  const inner = group?.flat() ?? [];
  return {
    signs,
    optional: optional || (group?.some((parts) => parts.every((part) => part.optional)) ?? false),
    endless: endless || inner.some((part) => part.endless),
  };
}

function readQuantifier(reader: Reader): { readonly optional: boolean; readonly endless: boolean } {
  const found = /^(?:([?*+])|\{(\d{1,9})(,?)(\d{0,9})\})\??/.exec(reader.source.slice(reader.at, reader.at + 24));
  if (found === null) return { optional: false, endless: false };
  reader.at += found[0].length;
  const [, sign, least, comma, most] = found;
  if (sign !== undefined) return { optional: sign !== "+", endless: sign !== "?" };
  const upper = comma === "" ? Number(least) : most === "" ? Number.POSITIVE_INFINITY : Number(most);
  return { optional: Number(least) === 0, endless: upper >= MANY };
}

/** Nothing separates one round from the next, or two alternatives match the same text. */
function isAmbiguous(all: readonly (readonly Part[])[]): boolean {
  const alternatives = all.slice(0, MOST).map((parts) => parts.slice(0, MOST));
  const blurred = alternatives.some((parts) =>
    parts.some((part) => part.endless && parts.every((other) => other.optional || (other.signs & part.signs) !== 0n)),
  );
  if (blurred) return true;
  return alternatives.some((left, at) =>
    alternatives.slice(at + 1).some((right) => {
      const short = left.length <= right.length ? left : right;
      const long = short === left ? right : left;
      return (
        short.length === 1 && long.length > 0 && long.every((part) => (part.signs & (short[0]?.signs ?? 0n)) !== 0n)
      );
    }),
  );
}

function readClass(reader: Reader): bigint {
  const { source } = reader;
  const negated = source[reader.at] === "^";
  if (negated) reader.at += 1;
  let signs = 0n;
  while (reader.at < source.length && source[reader.at] !== "]") {
    let sign = source[reader.at] ?? "";
    reader.at += 1;
    if (sign === "\\") {
      sign = source[reader.at] ?? "";
      reader.at += 1;
      signs |= CLASSES.get(sign) ?? toBit(sign);
    } else if (source[reader.at] === "-" && source[reader.at + 1] !== "]" && reader.at + 1 < source.length) {
      signs |= toRange(sign.charCodeAt(0), source.charCodeAt(reader.at + 1));
      reader.at += 2;
    } else signs |= toBit(sign);
  }
  reader.at += 1;
  return negated ? ALL & ~signs : signs;
}

function toRange(from: number, to: number): bigint {
  let signs = 0n;
  for (let code = from; code <= Math.min(to, 127); code++) signs |= 1n << BigInt(code);
  return signs;
}

function toBit(sign: string): bigint {
  const code = sign.charCodeAt(0);
  return code < 128 ? 1n << BigInt(code) : 0n;
}

function toSigns(pattern: RegExp): bigint {
  let signs = 0n;
  for (let code = 0; code < 128; code++) if (pattern.test(String.fromCharCode(code))) signs |= 1n << BigInt(code);
  return signs;
}
