/** Where a text stops being JSON, in lines and columns from 1. */
export interface JsonError {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

const TOKEN =
  /[ \t\r\n]*(?:([{}[\]:,])|("[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|true\b|false\b|null\b))/y;

type State = "value" | "first-item" | "first-key" | "key" | "colon" | "after";

const EXPECTED: Readonly<Record<State, string>> = {
  value: "a value",
  "first-item": 'a value or "]"',
  "first-key": 'a key in double quotes or "}"',
  key: "a key in double quotes",
  colon: '":" behind the key',
  after: '"," or the end of the list or object',
};

/** A list or an object that is not closed yet, and where it begins. */
interface Opened {
  readonly mark: "{" | "[";
  readonly at: number;
}

/** `JSON.parse` does not always say where it failed; this finds the place, in one pass and without recursion. */
export function findJsonError(text: string): JsonError {
  const open: Opened[] = [];
  let state: State = "value";
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const mark = match?.[1] ?? null;
    const done: boolean = state === "after" && open.length === 0;
    const next: State | null =
      match === null || done ? null : step(state, mark, match[2] ?? null, { open, at: at + match[0].length - 1 });
    if (next === null || match === null) {
      const place = at + (/^[ \t\r\n]*/.exec(text.slice(at, at + 10_000))?.[0].length ?? 0);
      return describe(text, place, done ? "nothing behind the end of the document" : EXPECTED[state], open.at(-1));
    }
    state = next;
    at += match[0].length;
  }
}

/** The state behind one token, or null where the token may not stand. */
function step(
  state: State,
  mark: string | null,
  scalar: string | null,
  { open, at }: { readonly open: Opened[]; readonly at: number },
): State | null {
  if (state === "colon") return mark === ":" ? "value" : null;
  if (state === "first-key" && mark === "}") return close(open);
  if (state === "first-key" || state === "key") return scalar?.startsWith('"') ? "colon" : null;
  if (state === "first-item" && mark === "]") return close(open);
  if (state === "after") {
    const inside = open.at(-1)?.mark;
    if (mark === ",") return inside === "{" ? "key" : "value";
    return (mark === "}" && inside === "{") || (mark === "]" && inside === "[") ? close(open) : null;
  }
  if (scalar !== null) return "after";
  if (mark !== "{" && mark !== "[") return null;
  open.push({ mark, at });
  return mark === "{" ? "first-key" : "first-item";
}

function close(open: Opened[]): State {
  open.pop();
  return "after";
}

function describe(text: string, at: number, expected: string, inside: Opened | undefined): JsonError {
  const isEnd = at >= text.length;
  const found = isEnd ? "the end of the text" : JSON.stringify(text.slice(at, at + 12).split("\n", 1)[0]);
  const unclosed =
    isEnd && inside !== undefined
      ? `; nothing closes the "${inside.mark}" of line ${placeAt(text, inside.at).line}`
      : "";
  return { ...placeAt(text, at), text: `expected ${expected}, found ${found}${unclosed}` };
}

function placeAt(text: string, at: number): Pick<JsonError, "line" | "column"> {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}
