import { UNKNOWN_TEXT } from "../../core/rules/shell/command-line.ts";
import { bind, FUNCTIONS, toUse } from "./bindings.ts";
import type { Cursor } from "./cursor.ts";
import type { MarkedText } from "./expand-braces.ts";
import { scanDollar } from "./scan-expansion.ts";

/** Numbers are one word, and no option. */
const COUNT = /^\$(?:[?#$]|\{#\w+(?:\[[@*]\])?\})$/;
const NAMED = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(.*)\})$/s;
const PRINTS_FOLDER = /^\$\(\s*(pwd|git rev-parse --show-toplevel)\s*\)$/;
/** The end of a path in a separate word. */
const FOLDER_ENDS = /^"?(?:\/|[\s|&;()<>]|$)/;

const HOME_FOLDER: MarkedText = { text: "~", marks: "u" };
/** `c`: the current folder, which can be written as `.` only at the start of a word. */
const HERE: MarkedText = { text: ".", marks: "c" };
/** `o`: unknown, and no option. */
const SOME_OPERAND: MarkedText = { text: UNKNOWN_TEXT, marks: "o" };

/** The cursor is at `$`. The mark of what it expands to, `d` and `D` if unknown; null for a literal dollar. */
export function scanValue(cursor: Cursor, isQuoted: boolean): string | null {
  const start = cursor.at;
  if (!scanDollar(cursor, isQuoted)) return null;
  const written = cursor.text.slice(start, cursor.at);
  if (COUNT.test(written)) return "o";
  if (/^\$(?:\(\(|\[)/.test(written)) return "d";
  const isMany = /^\$\{?!?(?:@|\w+\[@\]|\w+@\})/.test(written) || (!isQuoted && /^\$\{?\*/.test(written));
  const unknown = isQuoted && !isMany ? "d" : "D";
  const index = findBinding(cursor, written, isQuoted);
  return index === null ? unknown : toUse(index, isQuoted);
}

function findBinding(cursor: Cursor, written: string, isQuoted: boolean): number | null {
  const [, bare, braced, change = ""] = NAMED.exec(written) ?? [];
  const name = bare ?? braced;
  const isFolder = FOLDER_ENDS.test(cursor.text.slice(cursor.at, cursor.at + 2));
  if (name === undefined) {
    const [, program] = (isQuoted && PRINTS_FOLDER.exec(written)) || [];
    if (program === undefined || (program === "pwd" && !isFolder)) return null;
    const value = program === "pwd" ? HERE : SOME_OPERAND;
    return bind(cursor.findings, { names: [FUNCTIONS, "PWD"], times: 0, values: [value] });
  }
  if (change === "" && isFolder && name === "HOME")
    return bind(cursor.findings, { names: [name], times: 0, values: [HOME_FOLDER] });
  if (change === "" && isFolder && name === "PWD" && isQuoted)
    return bind(cursor.findings, { names: [name], times: 0, values: [HERE] });
  const index = cursor.known.get(name);
  const known = index === undefined ? undefined : cursor.findings.bindings[index];
  if (index === undefined || known === undefined || change === "") return index ?? null;
  const values = known.values.map((value) => changed(value, change));
  return values.every((value) => value !== null) ? bind(cursor.findings, { ...known, values }, known.of) : null;
}

/** `:-default` and `%end` followed by plain text. */
function changed(value: MarkedText, change: string): MarkedText | null {
  const [, whenEmpty] = /^:-([\w./]+)$/.exec(change) ?? [];
  if (whenEmpty !== undefined && value.text === "") return { text: whenEmpty, marks: "q".repeat(whenEmpty.length) };
  if (whenEmpty !== undefined) return /[uq]/.test(value.marks) ? value : null;
  const [, end] = /^%%?([\w.-]+)$/.exec(change) ?? [];
  if (end === undefined) return null;
  const isOpen = /[^uq]/.test(value.marks) || /[*?[]/.test(value.text);
  if (value.text.endsWith(end) && !isOpen) return cut(value, value.text.length - end.length);
  if (!isOpen) return value;
  // A pattern or a variable may end with it at another position.
  const first = [...value.marks].findIndex((mark, at) => !/[uq]/.test(mark) || /[*?[]/.test(value.text[at] ?? ""));
  const start = cut(value, first);
  return first === 0 ? null : { text: start.text + UNKNOWN_TEXT, marks: `${start.marks}d` };
}

function cut({ text, marks }: MarkedText, end: number): MarkedText {
  return { text: text.slice(0, end), marks: marks.slice(0, end) };
}
