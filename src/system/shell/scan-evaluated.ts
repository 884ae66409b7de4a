import { noteFunction, noteGiven } from "./bindings.ts";
import { type Cursor, type Findings, mayReread, type ScannedWord } from "./cursor.ts";

/** Numbers, and expansions that are always numbers. */
const NUMBERS = /\$\{#\w+(?:\[[@*]\])?\}|\$[#?$!]|(?<![\w$])(?:0[xX][\da-fA-F]+|\d+(?:#\w+)?)/g;
const NAMES = /\$\{([A-Za-z_]\w*)\}|\$?([A-Za-z_]\w*)/g;

/**
 * Text that bash evaluates as arithmetic or as a subscript. Values of variables are evaluated again, so whatever is not
 * plainly a number may run any text of the line; those texts are collected for deny rules.
 */
export function noteEvaluated(cursor: Cursor, body: string): void {
  if (!mayReread(cursor, body.length)) return;
  const { findings } = cursor;
  if (/[$`]/.test(body)) findings.hidden.push(body);
  if (findings.evaluates) return;
  const left = body.replace(NUMBERS, " ").replace(NAMES, (_, braced?: string, bare = braced) => {
    if (findings.counters.has(bare)) findings.counted.add(bare);
    else findings.evaluates = true;
    return " ";
  });
  if (/[^\s\d()+\-*/%<>=!&|^~?:,#]/.test(left)) findings.evaluates = true;
}

/** A loop's counting variable holds only numbers while its body is read. */
export function isCounted(values: readonly string[]): boolean {
  return values.length > 0 && values.every((value) => /^(?:-?\d+|\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\})$/.test(value));
}

/** Builtins that evaluate the names they are given. */
const NAMING = new Set("declare typeset local readonly export read mapfile readarray unset getopts wait".split(" "));
const DECLARING = new Set("declare typeset local readonly export".split(" "));
/** Builtins that may set any variable. */
const SETTING = new Set("let eval source . trap".split(" "));
/** Variables whose values bash treats as arithmetic. */
export const INTEGERS = /^(?:RANDOM|SRANDOM|OPTIND|HISTCMD|BASHPID|SECONDS|LINENO|EUID|UID|PPID)$/;

/** What a builtin evaluates of its words. */
export function noteBuiltin(cursor: Cursor, words: readonly ScannedWord[]): void {
  const at = words.findIndex(({ text }) => !/^(?:command|builtin|time|-p|--)$/.test(text));
  const name = words[at]?.text ?? "";
  const rest = words.slice(at + 1);
  const [first] = rest;
  if (SETTING.has(name)) cursor.findings.sets = true;
  if (name === "alias") noteFunction(cursor.findings);
  if (name === "let") for (const { text } of rest) noteEvaluated(cursor, text);
  else if (name === "test" || name === "[") noteTests(cursor, rest);
  else if (name === "printf" && first !== undefined && (first.text.startsWith("-v") || mayBeOption(first))) {
    cursor.findings.sets = true;
    for (const word of rest.slice(0, 2)) noteName(cursor, word.text.replace(/^-v/, ""));
  } else if (NAMING.has(name)) {
    noteNames(cursor.findings, rest);
    const isWhole = rest.some(({ text }) => /^-\w*[in]/.test(text));
    const end = DECLARING.has(name) && !isWhole ? "=" : "";
    for (const { text } of rest)
      if (!text.startsWith("-")) noteName(cursor, end === "" ? text : (text.split("=")[0] ?? ""));
  }
}

/** The variables that are assigned; any, if one is a reference to another or a callback runs. */
function noteNames(findings: Findings, words: readonly ScannedWord[]): void {
  for (const { text, isStatic } of words) {
    const [name = ""] = /^\w*/.exec(text) ?? [];
    if (!isStatic || /^-\w*[nC]/.test(text)) findings.sets = true;
    findings.mixed.add(name);
    noteGiven(findings, name);
  }
}

/** A bare name is not evaluated. */
function noteName(cursor: Cursor, text: string): void {
  if (!/^\w*(?:=-?\d*)?$/.test(text)) noteEvaluated(cursor, text);
}

function mayBeOption({ text, isStatic }: ScannedWord): boolean {
  return !isStatic && !/^[\w./%]/.test(text);
}

/** `-v` evaluates the brackets of its operand; a word that splits into several may provide both. */
function noteTests(cursor: Cursor, words: readonly ScannedWord[]): void {
  for (const [index, word] of words.entries()) {
    const next = words[index + 1];
    const mayName = /^-[vR]$/.test(word.text) || mayBeOption(word);
    if (mayName && next !== undefined && (!next.isStatic || next.text.includes("["))) noteEvaluated(cursor, next.text);
    if (word.hasGlob) cursor.findings.evaluates = true;
    else if (!word.isStatic && !writtenOf(cursor, word).startsWith('"')) noteEvaluated(cursor, writtenOf(cursor, word));
  }
}

const COMPARES = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** `[[ … ]]` evaluates both sides of a numeric comparison, whatever their quotes, and the operand of `-v`. */
export function noteCondition(cursor: Cursor, words: readonly ScannedWord[]): void {
  for (const [index, { text }] of words.entries()) {
    const sides = COMPARES.test(text) ? [words[index - 1], words[index + 1]] : [];
    for (const side of sides) noteEvaluated(cursor, withoutQuotes(side === undefined ? "" : writtenOf(cursor, side)));
    const operand = words[index + 1];
    if (/^-[vR]$/.test(text) && operand !== undefined) noteName(cursor, withoutQuotes(writtenOf(cursor, operand)));
  }
}

function writtenOf({ text, offset }: Cursor, { start, end }: ScannedWord): string {
  return text.slice(start - (offset ?? 0), end - (offset ?? 0));
}

function withoutQuotes(written: string): string {
  return written.replace(/^(["'])([^"']*)\1$/s, "$2");
}

/** A number, or arithmetic, whose text is examined separately. */
export function isNumber(written: string): boolean {
  return /^(?:-?\d*|\$\(\([^()]*\)\))$/.test(written);
}

/** `i=0; j=10;`: variables that a line sets to numbers before it does anything else. */
export function numbersAtStart(text: string): readonly string[] {
  const [start = ""] = /^\s*(?:[A-Za-z_]\w*=-?\d+[ \t]*(?:;|&&|\n)\s*)*/.exec(text) ?? [];
  return [...start.matchAll(/(\w+)=/g)].map(([, name = ""]) => name);
}

/** Whether some text of the line may be evaluated: a counter is safe only if nothing else may have set it. */
export function evaluates({ evaluates: unknown, counted, sets, mixed }: Findings): boolean {
  return unknown || (counted.size > 0 && (sets || [...counted].some((name) => mixed.has(name))));
}
