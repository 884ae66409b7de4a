/** A piece of a line. HTML has no meaning here: it is text. */
export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "strong" | "emphasis" | "strike"; readonly inside: readonly Inline[] }
  /** The address is as written: where it leads must be checked before it becomes a link. */
  | { readonly kind: "link"; readonly address: string; readonly inside: readonly Inline[] };

type Style = "strong" | "emphasis" | "strike";

/** A run of `*`, `_` or `~` that may begin or end a style, with what it was found to do. */
interface Run {
  readonly kind: "run";
  readonly sign: string;
  /** Signs that nothing has used yet. */
  left: number;
  readonly mayOpen: boolean;
  readonly mayClose: boolean;
  readonly opens: Style[];
  readonly closes: Style[];
}

type Token = Exclude<Inline, { readonly inside: unknown }> | Extract<Inline, { readonly kind: "link" }> | Run;

/** Deeper ones are shown without their style. */
const DEEPEST = 16;
const LONGEST_ADDRESS = 2_000;

/** The pieces of a text, in time that grows no faster than the text. */
export function parseInline(text: string, mayLink = true): readonly Inline[] {
  const tokens = tokenize(text, mayLink);
  pair(tokens.filter((token): token is Run => token.kind === "run"));
  return nest(tokens);
}

const PLAIN = /[^\\`*_~[\]!<h\n]+/y;
const RUN = /(\*+|_+|~+)/y;
const TICKS = /`+/y;
const BARE_ADDRESS = /<?https?:\/\/[^\s<>"'`]+>?/y;
const TARGET = /\(\s*<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/y;
const PUNCTUATION = /[!-/:-@[-`{-~]/;

function tokenize(text: string, mayLink: boolean): readonly Token[] {
  const tokens: Token[] = [];
  const ticks = findTicks(text);
  const brackets = mayLink && text.includes("](") ? pairBrackets(text) : new Map<number, number>();
  const take = (pattern: RegExp, at: number): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  let at = 0;
  while (at < text.length) {
    const sign = text[at] ?? "";
    const plain = take(PLAIN, at);
    const ticksHere = take(TICKS, at);
    if (plain !== null) {
      tokens.push({ kind: "text", text: plain });
      at += plain.length;
    } else if (sign === "\n") {
      tokens.push({ kind: "break" });
      at += 1;
    } else if (sign === "\\" && PUNCTUATION.test(text[at + 1] ?? "")) {
      tokens.push({ kind: "text", text: text[at + 1] ?? "" });
      at += 2;
    } else if (ticksHere !== null) {
      const end = ticks.get(at);
      const code = end === undefined ? null : text.slice(at + ticksHere.length, end).replaceAll("\n", " ");
      tokens.push(code === null ? { kind: "text", text: ticksHere } : { kind: "code", text: withoutPadding(code) });
      at = end === undefined ? at + ticksHere.length : end + ticksHere.length;
    } else {
      const link = mayLink ? (readLink(text, at, brackets) ?? readAddress(take(BARE_ADDRESS, at))) : null;
      const run = take(RUN, at);
      if (link !== null) {
        tokens.push(link.token);
        at += link.length;
      } else if (run !== null) {
        tokens.push(toRun(run, text[at - 1] ?? " ", text[at + run.length] ?? " "));
        at += run.length;
      } else {
        tokens.push({ kind: "text", text: sign });
        at += 1;
      }
    }
  }
  return tokens;
}

/** Where code that begins at a run of ticks ends: at the next run of the same length. */
function findTicks(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open = new Map<number, number>();
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
    const end = open.get(run.length);
    if (end !== undefined) ends.set(index, end);
    open.set(run.length, index);
  }
  return ends;
}

function withoutPadding(code: string): string {
  return code.length > 2 && code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "" ? code.slice(1, -1) : code;
}

function pairBrackets(text: string): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: sign, index } of text.matchAll(/\\.|[[\]]/gs)) {
    if (sign === "[") open.push(index);
    const start = sign === "]" ? open.pop() : undefined;
    if (start !== undefined) pairs.set(start, index);
  }
  return pairs;
}

interface Found {
  readonly token: Token;
  readonly length: number;
}

/** `[words](address)`; an image is its words and its address, because nothing is loaded. */
function readLink(text: string, at: number, brackets: ReadonlyMap<number, number>): Found | null {
  const start = text[at] === "!" ? at + 1 : at;
  const end = brackets.get(start);
  if (end === undefined || text[end + 1] !== "(") return null;
  TARGET.lastIndex = 0;
  const found = TARGET.exec(text.slice(end + 1, end + 1 + LONGEST_ADDRESS));
  if (found === null) return null;
  const [whole, address = ""] = found;
  const inside = parseInline(text.slice(start + 1, end), false);
  return { token: { kind: "link", address, inside }, length: end + 1 + whole.length - at };
}

function readAddress(found: string | null): Found | null {
  if (found === null) return null;
  const isQuoted = found.startsWith("<") && found.endsWith(">");
  if (found.startsWith("<") && !isQuoted) return null;
  const address = isQuoted ? found.slice(1, -1) : found.replace(/[>.,;:!?)\]*_~]{1,20}$/, "");
  const token: Token = { kind: "link", address, inside: [{ kind: "text", text: address }] };
  return { token, length: isQuoted ? found.length : address.length };
}

function toRun(run: string, before: string, after: string): Run {
  const sign = run[0] ?? "";
  const [isSpaceBefore, isSpaceAfter] = [/\s/.test(before), /\s/.test(after)];
  const [isSignBefore, isSignAfter] = [PUNCTUATION.test(before), PUNCTUATION.test(after)];
  const left = !isSpaceAfter && (!isSignAfter || isSpaceBefore || isSignBefore);
  const right = !isSpaceBefore && (!isSignBefore || isSpaceAfter || isSignAfter);
  const isWordSign = sign === "_";
  return {
    ...{ kind: "run", sign, left: run.length, opens: [], closes: [] },
    mayOpen: left && !(isWordSign && right && !isSignBefore),
    mayClose: right && !(isWordSign && left && !isSignAfter),
  };
}

/** Finds which runs belong together; each is looked at once as an end, and leaves the stack once. */
function pair(runs: readonly Run[]): void {
  const open = new Map<string, number[]>();
  const stackOf = (sign: string): number[] => {
    const stack = open.get(sign) ?? [];
    open.set(sign, stack);
    return stack;
  };
  for (const [at, run] of runs.entries()) {
    const stack = stackOf(run.sign);
    while (run.mayClose && run.left > 0) {
      const start = stack.at(-1);
      const opener = start === undefined ? undefined : runs[start];
      if (start === undefined || opener === undefined) break;
      const style = toStyle(run.sign, Math.min(run.left, opener.left));
      if (style === null) break;
      const used = style === "emphasis" ? 1 : 2;
      opener.opens.unshift(style);
      run.closes.push(style);
      opener.left -= used;
      run.left -= used;
      // Whatever began in between ends nowhere.
      for (const other of open.values()) while ((other.at(-1) ?? -1) > start) other.pop();
      if (opener.left === 0) stack.pop();
    }
    if (run.mayOpen && run.left > 0) stack.push(at);
  }
}

function toStyle(sign: string, signs: number): Style | null {
  if (sign === "~") return signs >= 2 ? "strike" : null;
  return signs >= 2 ? "strong" : "emphasis";
}

function nest(tokens: readonly Token[]): readonly Inline[] {
  const top: Inline[] = [];
  const open: { readonly style: Style; readonly inside: Inline[] }[] = [];
  const here = (): Inline[] => open.slice(0, DEEPEST).at(-1)?.inside ?? top;
  for (const token of tokens) {
    if (token.kind !== "run") {
      here().push(token);
      continue;
    }
    for (const _ of token.closes) {
      const ended = open.pop();
      if (ended !== undefined && open.length < DEEPEST) here().push({ kind: ended.style, inside: ended.inside });
    }
    if (token.left > 0) here().push({ kind: "text", text: token.sign.repeat(token.left) });
    for (const style of token.opens) open.push({ style, inside: [] });
  }
  return top;
}
