import { noteFunction, noteGiven } from "./bindings.ts";
import {
  type Cursor,
  descend,
  giveUp,
  note,
  type ScannedAssignment,
  type ScannedCommand,
  type ScannedRedirection,
  type ScannedWord,
  skipBlanks,
} from "./cursor.ts";
import type { MarkedText } from "./expand-braces.ts";
import { createInputScopes, type InputScopes } from "./input-scopes.ts";
import { scanCase, scanCaseHead, scanCondition, scanFor, scanFunction } from "./scan-compound.ts";
import { INTEGERS, isNumber, noteBuiltin, noteEvaluated } from "./scan-evaluated.ts";
import { scanArithmetic } from "./scan-expansion.ts";
import { type PendingDocument, scanDocuments, scanRedirection } from "./scan-redirection.ts";
import { type RawWord, scanWord, toScannedWord, toScannedWords } from "./scan-word.ts";
import { createValueScopes, type Separator, type ValueScopes } from "./value-scopes.ts";

/** The state of one list of commands: the command being read, and the compound commands around it. */
interface List {
  readonly cursor: Cursor;
  words: ScannedWord[];
  assignments: ScannedAssignment[];
  redirections: ScannedRedirection[];
  piped: boolean;
  start: number;
  /** The reserved word before this position, if no command has followed it. */
  opener: string | null;
  /** For each open `case`: between `in` or `;;` and `)` a pattern is read, not a command. */
  readonly cases: ("pattern" | "body")[];
  /** For each open loop: its counting variable. */
  readonly loops: (string | null)[];
  readonly scopes: ValueScopes;
  readonly inputs: InputScopes;
  /** What the command sets, if it does nothing else. */
  settings: { readonly name: string; readonly value: MarkedText }[];
  readonly pending: PendingDocument[];
}

/** More than anybody writes, and few enough to be read in time. */
const MOST_COMMANDS = 2_000;
const ASSIGNMENT = /^([A-Za-z_]\w*)(\[[^\]]*\])?(\+?=)/;
/** Reserved words after which another command may start. */
const TRANSPARENT = new Set(["if", "then", "else", "elif", "fi", "do", "done", "{", "}", "!", "coproc"]);
const RESERVED = new Set([...TRANSPARENT, ..."while until for select case esac in function [[ ]]".split(" ")]);
const OPENERS = new Set("{ if then else elif do while until !".split(" "));
const CLOSERS = new Set("} then else elif fi do done".split(" "));
const LOOPS = new Set(["while", "until"]);
/** Where another body of a compound command starts, and where it ends. */
const BODIES = new Set(["then", "else", "elif", "do"]);
const CLOSES = new Set(["fi", "done", "}"]);
const CASE_END = /;;&|;;|;&/y;

/** Reads every simple command up to the closing `)` or the end of the text. Never fails: oddities become problems. */
export function scanList(cursor: Cursor, closing: ")" | null): void {
  const list: List = {
    cursor,
    words: [],
    assignments: [],
    redirections: [],
    piped: false,
    start: cursor.at,
    opener: null,
    cases: [],
    loops: [],
    scopes: createValueScopes(cursor),
    inputs: createInputScopes(cursor),
    settings: [],
    pending: [],
  };
  for (;;) {
    if (list.cases.at(-1) === "pattern" && isFresh(list)) {
      if (scanCase(cursor) === "esac") {
        list.cases.pop();
        close(list);
      } else {
        list.cases[list.cases.length - 1] = "body";
        list.scopes.restart();
      }
      continue;
    }
    skipBlanks(cursor);
    const character = cursor.text[cursor.at];
    if (character === undefined) break;
    if (character === ")" && closing === ")") {
      cursor.at += 1;
      finish(list);
      return;
    }
    scanToken(list, character);
  }
  finish(list);
  if (closing !== null) note(cursor, "syntax", `${closing} is missing`);
}

function finish(list: List): void {
  flush(list);
  if (list.pending.length > 0) note(list.cursor, "syntax", "a here-document has no body");
  if (list.cases.length > 0) note(list.cursor, "syntax", "esac is missing");
}

function isFresh({ words, assignments, redirections }: List): boolean {
  return words.length === 0 && assignments.length === 0 && redirections.length === 0;
}

function scanToken(list: List, character: string): void {
  const { cursor } = list;
  const next = cursor.text[cursor.at + 1];
  switch (character) {
    case "#": {
      const end = cursor.text.indexOf("\n", cursor.at);
      cursor.at = end === -1 ? cursor.text.length : end;
      return;
    }
    case "\n":
      cursor.at += 1;
      flush(list);
      scanDocuments(cursor, list.pending);
      return;
    case ";":
      scanSemicolon(list);
      return;
    case "&":
      if (next === ">") redirect(list);
      else {
        cursor.at += next === "&" ? 2 : 1;
        flush(list, next === "&" ? "&&" : "&");
      }
      return;
    case "|":
      cursor.at += next === "|" || next === "&" ? 2 : 1;
      flush(list, next === "|" ? "||" : "|");
      list.piped = next !== "|";
      cursor.isFed ||= list.piped;
      return;
    case "(":
      scanParenthesis(list);
      return;
    case ")":
      note(cursor, "syntax", "a ) that closes nothing");
      cursor.at += 1;
      flush(list);
      return;
    case "<":
    case ">":
      if (next === "(") scanArgument(list);
      else redirect(list);
      return;
    default:
      scanArgument(list);
  }
}

function scanSemicolon(list: List): void {
  const { cursor } = list;
  CASE_END.lastIndex = cursor.at;
  const operator = CASE_END.exec(cursor.text)?.[0] ?? ";";
  cursor.at += operator.length;
  flush(list);
  if (operator === ";") return;
  if (list.cases.length === 0) note(cursor, "syntax", `${operator} outside of case`);
  else list.cases[list.cases.length - 1] = "pattern";
}

function scanParenthesis(list: List): void {
  const { cursor } = list;
  if (isFresh(list)) {
    list.opener = null;
    if (cursor.text[cursor.at + 1] === "(" && scanArithmetic(cursor, 2)) return;
    cursor.at += 1;
    list.inputs.around(() => descend(cursor, cursor.text, cursor.offset, (inner) => scanList(inner, ")")));
    return;
  }
  const [call] = /^\([ \t]*\)/.exec(cursor.text.slice(cursor.at, cursor.at + 64)) ?? [];
  if (call !== undefined && list.words.length === 1 && list.assignments.length === 0) {
    cursor.at += call.length;
    cursor.findings.repeats = true;
    noteFunction(cursor.findings);
    reset(list);
    // The caller of the function decides its input.
    cursor.isFed = true;
    return;
  }
  note(cursor, "syntax", "a ( where none can be");
  cursor.at += 1;
  flush(list);
}

function scanArgument(list: List): void {
  const { cursor } = list;
  const fresh = isFresh(list);
  if (fresh) list.start = cursor.at;
  const raw = scanWord(cursor);
  if (raw.end === raw.start) {
    cursor.at += 1;
    return;
  }
  const written = cursor.text.slice(raw.start, raw.end);
  if (isDescriptor(written, cursor.text[cursor.at])) redirect(list, written);
  else if (fresh && scanReserved(list, written)) return;
  else if (list.words.length > 0 || !addAssignment(list, raw, written)) {
    if (RESERVED.has(written) && isNamePlace(list)) note(cursor, "syntax", `the reserved word ${written} as a command`);
    addWords(list, toScannedWords(raw, cursor));
  }
}

/** Where a name is expected, also after `time`. */
function isNamePlace({ words }: List): boolean {
  return words.length === 0 || (words.length === 1 && words[0]?.text === "time");
}

/** A name made by brace expansion is not plain text. */
function addWords(list: List, words: readonly ScannedWord[]): void {
  const [first, ...rest] = words;
  if (first === undefined) return;
  const isName = list.words.length === 0 && rest.length > 0;
  list.words.push(isName ? { ...first, isStatic: false } : first, ...rest);
}

/** `2>`, `{fd}>`: the word names a descriptor if a redirection follows without a blank. */
function isDescriptor(written: string, next: string | undefined): boolean {
  return (next === "<" || next === ">") && /^(?:\d+|\{[A-Za-z_]\w*\})$/.test(written);
}

/** True if the word was a reserved one, and the compound command's own words are read. */
function scanReserved(list: List, written: string): boolean {
  const { cursor } = list;
  if (TRANSPARENT.has(written)) {
    const isEmpty = CLOSERS.has(written) && list.opener !== null && OPENERS.has(list.opener);
    if (isEmpty || (written === "!" && list.piped)) note(cursor, "syntax", `${written} where a command has to be`);
    list.opener = written;
    if (written === "done") cursor.findings.counters.delete(list.loops.pop() ?? "");
    if (written === "{" || written === "if") open(list);
    else if (BODIES.has(written)) list.scopes.restart();
    else if (CLOSES.has(written)) close(list);
    if (written === "coproc") skipCoprocName(cursor);
    return true;
  }
  list.opener = written;
  if (LOOPS.has(written)) {
    cursor.findings.repeats = true;
    list.loops.push(null);
    open(list);
  } else if (written === "for" || written === "select") {
    const head = scanFor(cursor, written);
    const counter = head?.isCounter === true ? head.name : null;
    list.loops.push(counter);
    if (counter !== null) cursor.findings.counters.add(counter);
    open(list, head === null ? undefined : [head.name, head.binding]);
  } else if (written === "case") {
    scanCaseHead(cursor);
    list.cases.push("pattern");
    open(list);
  } else if (written === "esac") {
    list.cases.pop();
    close(list);
  } else if (written === "function") {
    scanFunction(cursor);
    cursor.isFed = true;
  } else if (written === "time") return skipTime(cursor);
  else if (written === "[[") cursor.findings.commands.push(scanCondition(cursor, list.start));
  else return false;
  return true;
}

function open({ scopes, inputs }: List, variable?: Parameters<ValueScopes["open"]>[0]): void {
  scopes.open(variable);
  inputs.open();
}

function close({ scopes, inputs }: List): void {
  scopes.close();
  inputs.close();
}

/** `coproc NAME {` names the process; `coproc command` does not. */
function skipCoprocName(cursor: Cursor): void {
  cursor.findings.repeats = true;
  cursor.findings.sets = true;
  cursor.isFed = true;
  const named = /[ \t]+[A-Za-z_]\w*(?=[ \t]+(?:\{[ \t\n]|\(|while\b|until\b|for\b|if\b|case\b|select\b|\[\[))/y;
  named.lastIndex = cursor.at;
  cursor.at += named.exec(cursor.text)?.[0].length ?? 0;
}

/** `time` before a compound command is a reserved word; before a simple one it is a command that runs another. */
function skipTime(cursor: Cursor): boolean {
  const compound =
    /(?:[ \t]+(?:-p|--))*[ \t]+(?=[{!][ \t\n]|\(|(?:while|until|for|if|case|select|function|time)\b|\[\[)/y;
  compound.lastIndex = cursor.at;
  const [skipped] = compound.exec(cursor.text) ?? [];
  cursor.at += skipped?.length ?? 0;
  return skipped !== undefined;
}

function addAssignment(list: List, raw: RawWord, written: string): boolean {
  const { cursor } = list;
  const [, name] = ASSIGNMENT.exec(written) ?? [];
  if (name === undefined) return false;
  const equals = raw.text.indexOf("=");
  const marked = { text: raw.text.slice(equals + 1), marks: raw.marks.slice(equals + 1) };
  const value = toScannedWord({ ...raw, ...marked });
  const offset = cursor.offset ?? 0;
  if (/^\w+\[/.test(written)) {
    note(cursor, "expansion", "an assignment to an array element");
    cursor.findings.evaluates = true;
  }
  if (INTEGERS.test(name)) noteEvaluated(cursor, written.slice(written.indexOf("=") + 1));
  const start = cursor.at;
  const isArray = cursor.text[start] === "(" && raw.text.length === equals + 1;
  if (isArray) scanArray(cursor);
  if (isArray || !isNumber(written.slice(written.indexOf("=") + 1))) cursor.findings.mixed.add(name);
  noteGiven(cursor.findings, name);
  if (isArray || !written.startsWith(`${name}=`)) cursor.findings.sets = true;
  else list.settings.push({ name, value: marked });
  list.assignments.push({
    name,
    value: isArray ? { ...value, text: cursor.text.slice(start + 1, cursor.at - 1), isStatic: false } : value,
    start: raw.start + offset,
    end: cursor.at + offset,
  });
  return true;
}

/** The cursor is at the `(` of `name=(…)`. */
function scanArray(cursor: Cursor): void {
  cursor.at += 1;
  note(cursor, "expansion", "an array");
  for (;;) {
    skipBlanks(cursor);
    const character = cursor.text[cursor.at];
    if (character === undefined || character === ")") break;
    const { start, end } = scanWord(cursor);
    if (start === end) cursor.at += 1;
  }
  cursor.at += 1;
}

function redirect(list: List, descriptor = ""): void {
  const { cursor } = list;
  if (descriptor.startsWith("{")) noteGiven(cursor.findings, descriptor.slice(1, -1));
  if (isFresh(list)) list.start = cursor.at;
  const redirection = scanRedirection(cursor, list.pending);
  if (redirection === null) return;
  list.redirections.push(redirection);
  if (redirection.operator.startsWith("<") && list.words.length === 0) list.inputs.feedClosed();
}

function flush(list: List, separator: Separator = ";"): void {
  list.scopes.end(separator, settingsOf(list));
  if (!isFresh(list)) {
    const { words, assignments, redirections, piped, start } = list;
    const { offset, findings } = list.cursor;
    if (words.length === 1 && words[0]?.text === "time") note(list.cursor, "syntax", "time without a command");
    const command: ScannedCommand = {
      words,
      assignments,
      redirections,
      piped: piped || list.cursor.isFed,
      start: offset === null ? null : offset + start,
    };
    if (findings.commands.push(command) > MOST_COMMANDS) giveUp(list.cursor, `more than ${MOST_COMMANDS} commands`);
    noteBuiltin(list.cursor, words);
    if (words.some(({ text }) => text === "exec") && redirections.some(({ operator }) => operator.startsWith("<")))
      list.inputs.feedRest();
  }
  reset(list);
}

/** What the command sets in this shell; nothing if it does more than that. */
function settingsOf({ words, redirections, settings }: List): List["settings"] {
  const [name, variable, ...rest] = words;
  if (name === undefined) return redirections.length === 0 ? settings : [];
  const isUnset =
    name.text === "unset" && rest.length === 0 && variable !== undefined && /^[A-Za-z_]\w*$/.test(variable.text);
  return isUnset ? [{ name: variable.text, value: { text: "", marks: "" } }] : [];
}

function reset(list: List): void {
  if (!isFresh(list)) list.opener = null;
  list.words = [];
  list.assignments = [];
  list.redirections = [];
  list.settings = [];
  list.piped = false;
  list.inputs.end();
}
