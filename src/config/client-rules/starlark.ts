/** A value of a `.rules` file. Null stands for what is no plain value. */
export type StarValue = string | number | boolean | null | readonly StarValue[];

export interface StarCall {
  readonly name: string;
  readonly line: number;
  readonly values: ReadonlyMap<string, StarValue>;
  /** Values without a name. */
  readonly unnamed: readonly StarValue[];
}

interface Token {
  readonly kind: "text" | "word" | "mark" | "break";
  readonly text: string;
  readonly line: number;
}

/** Calls with plain values, one after the other; all else of the language is reported by its line. */
export function readStarCalls(text: string): { readonly calls: readonly StarCall[]; readonly odd: readonly number[] } {
  const tokens = tokenize(text);
  const calls: StarCall[] = [];
  const odd = new Set<number>();
  let at = 0;
  while (at < tokens.length) {
    const first = tokens[at];
    if (first === undefined || first.kind === "break") {
      at++;
      continue;
    }
    const read = readCall(tokens, at);
    if (read === null) {
      odd.add(first.line);
      at = afterStatement(tokens, at);
    } else {
      calls.push(read.call);
      at = read.next;
    }
  }
  return { calls, odd: [...odd] };
}

const TOKEN =
  /[ \t\r]+|#[^\n]*|(\n)|(?:r?("""|''')([\s\S]*?)\2)|(r?)(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')|([A-Za-z_]\w*|\d+(?:\.\d+)?)|([\s\S])/gy;

/** Line breaks inside of brackets end nothing. */
function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let depth = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, end, , long, raw, double, single, word, mark] = match;
    if (end !== undefined) {
      if (depth === 0) tokens.push({ kind: "break", text: "\n", line });
    } else if (long !== undefined) tokens.push({ kind: "text", text: long, line });
    else if (double !== undefined || single !== undefined) {
      const written = double ?? single ?? "";
      tokens.push({ kind: "text", text: raw === "r" ? written : plainText(written), line });
    } else if (word !== undefined) tokens.push({ kind: "word", text: word, line });
    else if (mark !== undefined) {
      depth = Math.max(0, depth + ("([{".includes(mark) ? 1 : ")]}".includes(mark) ? -1 : 0));
      tokens.push({ kind: "mark", text: mark, line });
    }
    line += whole.split("\n").length - 1;
  }
  return tokens;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", '"': '"', "'": "'" };

/** What no plain escape is stays as it is written, and then is no plain word either. */
function plainText(text: string): string {
  return text.replace(/\\([\s\S])/g, (whole, escaped: string) => ESCAPES[escaped] ?? whole);
}

function afterStatement(tokens: readonly Token[], from: number): number {
  const end = tokens.findIndex(({ kind }, at) => at >= from && kind === "break");
  return end === -1 ? tokens.length : end;
}

function readCall(tokens: readonly Token[], from: number): { readonly call: StarCall; readonly next: number } | null {
  const name = tokens[from];
  if (name?.kind !== "word" || tokens[from + 1]?.text !== "(") return null;
  const values = new Map<string, StarValue>();
  const unnamed: StarValue[] = [];
  let at = from + 2;
  while (tokens[at] !== undefined && !isMark(tokens[at], ")")) {
    const key = tokens[at];
    const isNamed = key?.kind === "word" && isMark(tokens[at + 1], "=");
    const read = readValue(tokens, isNamed ? at + 2 : at);
    if (read === null) return null;
    if (isNamed) values.set(key.text, read.value);
    else unnamed.push(read.value);
    at = read.next;
    if (isMark(tokens[at], ",")) at++;
    else if (!isMark(tokens[at], ")")) return null;
  }
  const after = tokens[at + 1];
  if (tokens[at] === undefined || (after !== undefined && after.kind !== "break")) return null;
  return { call: { name: name.text, line: name.line, values, unnamed }, next: at + 1 };
}

function readValue(tokens: readonly Token[], at: number): { readonly value: StarValue; readonly next: number } | null {
  const token = tokens[at];
  if (token?.kind === "text") return { value: token.text, next: at + 1 };
  if (token?.kind === "word") {
    const word: StarValue | undefined = token.text === "True" ? true : token.text === "False" ? false : undefined;
    if (word !== undefined) return { value: word, next: at + 1 };
    if (token.text === "None") return { value: null, next: at + 1 };
    return /^\d/.test(token.text) ? { value: Number(token.text), next: at + 1 } : null;
  }
  const close = isMark(token, "[") ? "]" : isMark(token, "(") ? ")" : null;
  if (close === null) return null;
  const items: StarValue[] = [];
  let next = at + 1;
  while (!isMark(tokens[next], close)) {
    const read = readValue(tokens, next);
    if (read === null) return null;
    items.push(read.value);
    next = read.next;
    if (isMark(tokens[next], ",")) next++;
    else if (!isMark(tokens[next], close)) return null;
  }
  return { value: items, next: next + 1 };
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === "mark" && token.text === text;
}
