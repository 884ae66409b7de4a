/** Text that is being typed, and where the next key writes. Lines are separated by `\n`. */
export interface TypedText {
  readonly text: string;
  readonly at: number;
}

/** A key as Node's `emitKeypressEvents` reports it. */
export interface Key {
  readonly name?: string | undefined;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
  readonly sequence?: string | undefined;
}

export const NOTHING_TYPED: TypedText = { text: "", at: 0 };

/** What a key makes of the text; null if it is no editing key. */
export function editText(typed: TypedText, key: Key, character: string | undefined): TypedText | null {
  const edit = EDITS[toSpelling(key)];
  if (edit !== undefined) return edit(typed);
  if (isNewLine(key)) return insertText(typed, "\n");
  if (character === undefined || key.ctrl === true || key.meta === true || /^\p{Cc}/u.test(character)) return null;
  return insertText(typed, character);
}

/** Enter sends; with Alt, with Shift where the terminal tells, as Ctrl-J and behind a `\`, it begins another line. */
export function isNewLine({ name, meta, sequence }: Key): boolean {
  if (name === "enter" || (name === "return" && meta === true)) return true;
  return sequence === "\u001b[13;2u" || sequence === "\u001b[27;2;13~";
}

export function insertText({ text, at }: TypedText, added: string): TypedText {
  return { text: text.slice(0, at) + added + text.slice(at), at: at + added.length };
}

/** A line above or below; null where there is none, and the history comes. */
export function moveLine({ text, at }: TypedText, by: -1 | 1): TypedText | null {
  const start = lineStart(text, at);
  const column = at - start;
  if (by === -1) {
    if (start === 0) return null;
    const above = lineStart(text, start - 1);
    return { text, at: Math.min(above + column, start - 1) };
  }
  const end = lineEnd(text, at);
  if (end === text.length) return null;
  return { text, at: Math.min(end + 1 + column, lineEnd(text, end + 1)) };
}

const EDITS: Readonly<Record<string, (typed: TypedText) => TypedText>> = {
  left: ({ text, at }) => ({ text, at: before(text, at) }),
  "ctrl+b": ({ text, at }) => ({ text, at: before(text, at) }),
  right: ({ text, at }) => ({ text, at: behind(text, at) }),
  "ctrl+f": ({ text, at }) => ({ text, at: behind(text, at) }),
  home: ({ text, at }) => ({ text, at: lineStart(text, at) }),
  "ctrl+a": ({ text, at }) => ({ text, at: lineStart(text, at) }),
  end: ({ text, at }) => ({ text, at: lineEnd(text, at) }),
  "ctrl+e": ({ text, at }) => ({ text, at: lineEnd(text, at) }),
  "ctrl+left": ({ text, at }) => ({ text, at: wordBefore(text, at) }),
  "meta+b": ({ text, at }) => ({ text, at: wordBefore(text, at) }),
  "ctrl+right": ({ text, at }) => ({ text, at: wordBehind(text, at) }),
  "meta+f": ({ text, at }) => ({ text, at: wordBehind(text, at) }),
  backspace: ({ text, at }) => cut(text, before(text, at), at),
  "ctrl+h": ({ text, at }) => cut(text, before(text, at), at),
  delete: ({ text, at }) => cut(text, at, behind(text, at)),
  "ctrl+d": ({ text, at }) => cut(text, at, behind(text, at)),
  "ctrl+w": ({ text, at }) => cut(text, wordBefore(text, at), at),
  "meta+backspace": ({ text, at }) => cut(text, wordBefore(text, at), at),
  "meta+d": ({ text, at }) => cut(text, at, wordBehind(text, at)),
  "ctrl+u": ({ text, at }) => cut(text, lineStart(text, at), at),
  "ctrl+k": ({ text, at }) => cut(text, at, lineEnd(text, at)),
};

function toSpelling({ name = "", ctrl, meta }: Key): string {
  return `${ctrl === true ? "ctrl+" : ""}${meta === true ? "meta+" : ""}${name}`;
}

function cut(text: string, from: number, to: number): TypedText {
  return { text: text.slice(0, from) + text.slice(to), at: from };
}

let segmenter: Intl.Segmenter | null = null;

/** What people count as characters may be several code points. */
export function clustersIn(text: string): readonly string[] {
  if (/^[\t\n -~]*$/.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

/** No cluster that somebody types is longer. */
const NEAR = 200;

function before(text: string, at: number): number {
  return at - (clustersIn(text.slice(Math.max(0, at - NEAR), at)).at(-1)?.length ?? 0);
}

function behind(text: string, at: number): number {
  return at + (clustersIn(text.slice(at, at + NEAR))[0]?.length ?? 0);
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

function wordBefore(text: string, at: number): number {
  return at - (/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(text.slice(Math.max(0, at - 1_000), at))?.[0].length ?? 0);
}

function wordBehind(text: string, at: number): number {
  return at + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(at, at + 1_000))?.[0].length ?? 0);
}
