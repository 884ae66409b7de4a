import { type Cursor, descend, mayReread, note, skipContinuations } from "./cursor.ts";
import { noteEvaluated } from "./scan-evaluated.ts";

const SPECIAL = /[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]/y;

/**
 * The cursor is at `$`. Reads the expansion and every command in it, and moves past it. False for a literal dollar; the
 * cursor has not moved then.
 */
export function scanDollar(cursor: Cursor, inDouble: boolean): boolean {
  const start = cursor.at;
  cursor.at += 1;
  skipContinuations(cursor);
  const character = cursor.text[cursor.at];
  if (character === "(") {
    if (cursor.text[cursor.at + 1] === "(" && scanArithmetic(cursor, 2)) return true;
    cursor.at += 1;
    scanNested(cursor);
    return true;
  }
  if (character === "{") {
    scanParameter(cursor, inDouble);
    return true;
  }
  if (character === "[") {
    note(cursor, "expansion", "it uses the old form of arithmetic, $[…]");
    cursor.at += 1;
    const body = cursor.at;
    scanUntil(cursor, "]", { inDouble });
    noteEvaluated(cursor, cursor.text.slice(body, cursor.at - 1));
    return true;
  }
  SPECIAL.lastIndex = cursor.at;
  const [name] = SPECIAL.exec(cursor.text) ?? [];
  if (name !== undefined) {
    cursor.at += name.length;
    return true;
  }
  cursor.at = start;
  return false;
}

/** The cursor is at `<(` or `>(`. */
export function scanProcess(cursor: Cursor): void {
  const around = cursor.isFed;
  cursor.isFed ||= cursor.text[cursor.at] === ">";
  cursor.at += 2;
  scanNested(cursor);
  cursor.isFed = around;
}

/** Old-style substitution: the text is unescaped first, then read as separate commands. */
export function scanBackquotes(cursor: Cursor, inDouble: boolean): void {
  const start = cursor.at + 1;
  let at = start;
  while (at < cursor.text.length && cursor.text[at] !== "`") at += cursor.text[at] === "\\" ? 2 : 1;
  if (at >= cursor.text.length) note(cursor, "syntax", "a backquote is not closed");
  const end = Math.min(at, cursor.text.length);
  const written = cursor.text.slice(start, end);
  const unescaped = written.replace(inDouble ? /\\([$`\\"])/g : /\\([$`\\])/g, "$1");
  const offset = unescaped === written && cursor.offset !== null ? cursor.offset + start : null;
  if (unescaped !== written) note(cursor, "expansion", "backquotes inside backquotes, or escapes in them");
  cursor.at = end + 1;
  capture(cursor, () => descend(cursor, unescaped, offset, (inner) => inner.scanList(inner, null)));
}

/** Marks the commands found: their output becomes text of the line. */
function capture({ findings: { commands } }: Cursor, scan: () => void): void {
  const from = commands.length;
  scan();
  commands.slice(from).forEach((command, at) => {
    if (command.captured === undefined) commands[from + at] = { ...command, captured: true };
  });
}

/**
 * The cursor is at the first of two `(`. Reads arithmetic up to `))`, and the substitutions in it. False if it is a
 * subshell inside parentheses instead; cursor and findings are then unchanged.
 */
export function scanArithmetic(cursor: Cursor, parentheses: 2): boolean {
  const { findings } = cursor;
  const start = cursor.at;
  if (cursor.offset !== null && findings.subshellsAt.has(cursor.offset + start)) return false;
  const commands = findings.commands.length;
  const problems = [...findings.problems];
  cursor.at += parentheses;
  const body = cursor.at;
  const closed = scanUntil(cursor, "))", { inDouble: true });
  // Text that is nested too deep is not tried in another way as well.
  if (!closed && !findings.problems.has("unreadable")) {
    const length = cursor.at - start;
    cursor.at = start;
    findings.commands.length = commands;
    findings.problems.clear();
    for (const [kind, text] of problems) findings.problems.set(kind, text);
    if (cursor.offset !== null) findings.subshellsAt.add(cursor.offset + start);
    note(cursor, "syntax", "parentheses that could be arithmetic or subshells");
    mayReread(cursor, length);
    return false;
  }
  noteArithmetic(cursor, cursor.text.slice(body, cursor.at - 2));
  return true;
}

function noteArithmetic(cursor: Cursor, body: string): void {
  if (/(?:^|[^=!<>])=(?!=)|<<=|>>=|\+\+|--/.test(body)) noteSetting(cursor, "arithmetic that sets variables");
  noteEvaluated(cursor, body);
}

function noteSetting(cursor: Cursor, text: string): void {
  cursor.findings.sets = true;
  note(cursor, "expansion", text);
}

function scanNested(cursor: Cursor): void {
  capture(cursor, () => descend(cursor, cursor.text, cursor.offset, (inner) => inner.scanList(inner, ")")));
}

/** The cursor is at the `{` of `${`. */
function scanParameter(cursor: Cursor, inDouble: boolean): void {
  const start = cursor.at + 1;
  const first = cursor.text[start];
  cursor.at = start;
  if (first === " " || first === "\t" || first === "\n" || first === "|") {
    note(cursor, "expansion", "a command substitution in braces");
    const close = cursor.text.indexOf("}", start);
    const end = close === -1 ? cursor.text.length : close;
    const body = cursor.text.slice(first === "|" ? start + 1 : start, end);
    cursor.at = end + 1;
    capture(cursor, () => descend(cursor, body, null, (inner) => inner.scanList(inner, null)));
    return;
  }
  if (first === "#" || first === "!") cursor.at += 1;
  scanUntil(cursor, "}", { inDouble });
  if (cursor.findings.problems.has("unreadable")) return;
  const body = cursor.text.slice(start, cursor.at - 1);
  if (first === "!" || /@[A-Za-z]$/.test(body)) {
    note(cursor, "expansion", "an expansion of text that is expanded again");
    cursor.findings.evaluates = true;
  }
  if (/^\w+(?:\[[^\]]*\])?:?=/.test(body)) noteSetting(cursor, "an expansion that sets a variable");
  const subscript = /^[#!]?\w+\[([^\]]*)/.exec(body)?.[1];
  if (subscript !== undefined && subscript !== "@" && subscript !== "*") noteArithmetic(cursor, subscript);
  const slice = /^\w+(?:\[[^\]]*\])?:(?![-+=?])(.*)$/s.exec(body)?.[1];
  if (slice !== undefined) noteArithmetic(cursor, slice);
}

/** Reads up to `closing` with all expansions in between; parentheses count while waiting for `))`. */
function scanUntil(cursor: Cursor, closing: "}" | "]" | "))", how: { readonly inDouble: boolean }): boolean {
  let closed = false;
  descend(cursor, cursor.text, cursor.offset, (inner) => {
    closed = scanFlat(inner, closing, how);
  });
  return closed;
}

function scanFlat(cursor: Cursor, closing: "}" | "]" | "))", { inDouble }: { readonly inDouble: boolean }): boolean {
  let open = 0;
  let quoted = false;
  while (cursor.at < cursor.text.length) {
    const character = cursor.text[cursor.at];
    if (character === "\\") cursor.at += 2;
    else if (character === "`") scanBackquotes(cursor, inDouble || quoted);
    else if (character === "$" && scanDollar(cursor, inDouble || quoted)) continue;
    else if (character === '"') {
      quoted = !quoted;
      cursor.at += 1;
    } else if (character === "'" && !quoted && !inDouble) {
      const end = cursor.text.indexOf("'", cursor.at + 1);
      cursor.at = end === -1 ? cursor.text.length : end + 1;
    } else if (!quoted && closing === "))" && character === "(") {
      open += 1;
      cursor.at += 1;
    } else if (!quoted && closing === "))" && character === ")") {
      if (open === 0) {
        if (cursor.text[cursor.at + 1] !== ")") return false;
        cursor.at += 2;
        return true;
      }
      open -= 1;
      cursor.at += 1;
    } else if (!quoted && character === closing) {
      cursor.at += 1;
      return true;
    } else cursor.at += 1;
  }
  note(cursor, "syntax", `${closing} is missing`);
  return false;
}
