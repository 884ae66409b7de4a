import type { ShellProblem, ShellWord } from "../../core/rules/shell/command-line.ts";
import type { MarkedText } from "./expand-braces.ts";

/** A command as it was scanned, before anybody looked at what it runs. */
export interface ScannedCommand {
  readonly words: readonly ScannedWord[];
  readonly assignments: readonly ScannedAssignment[];
  readonly redirections: readonly ScannedRedirection[];
  readonly piped: boolean;
  readonly captured?: true;
  /** The command before it once more, with other values. */
  readonly isAgain?: boolean;
  /** Where it starts in the whole text; null inside text that was unescaped first. */
  readonly start: number | null;
}

/** A word in which values of variables are still to be put. */
export interface Marked extends ShellWord {
  readonly marked?: MarkedText;
}

export interface ScannedWord extends Marked {
  readonly start: number;
  readonly end: number;
}

export interface ScannedAssignment {
  readonly name: string;
  readonly value: Marked;
  readonly start: number;
  readonly end: number;
}

export interface ScannedRedirection {
  readonly operator: string;
  /** The target is a process, `>(…)`, not a file. */
  readonly isProcess: boolean;
  readonly target: Marked;
}

/** What an expansion may be: one of these texts, as long as nothing else of the line sets it. */
export interface Binding {
  /** Which variables and functions the line may give a value, and how often. */
  readonly names: readonly string[];
  readonly times: number;
  /** May themselves use earlier bindings. */
  readonly values: readonly MarkedText[];
  /** The binding that it is a change of, value by value. */
  readonly of: number;
}

/** Which binding a variable has. */
export type Known = ReadonlyMap<string, number>;

/** What scanning collects. */
export interface Findings {
  readonly commands: ScannedCommand[];
  readonly problems: Map<ShellProblem["kind"], string>;
  readonly loopVariables: string[];
  repeats: boolean;
  /** Arithmetic or a subscript looks at what only the shell knows, and bash evaluates that too. */
  evaluates: boolean;
  /** Something may set any variable. */
  sets: boolean;
  /** How often variables are given a value, and what values are known. */
  readonly given: Map<string, number>;
  readonly bindings: Binding[];
  /** Variables that hold numbers here, those among them that were evaluated, and all that are given something else anywhere. */
  readonly counters: Set<string>;
  readonly counted: Set<string>;
  readonly mixed: Set<string>;
  /** Quoted text with substitutions in it, which run where it is evaluated. */
  readonly hidden: string[];
  /** Characters that were looked at to make words of braces. */
  expanded: number;
  /** How many words were read. */
  words: number;
  /** How many texts inside of others were read. */
  insides: number;
  /** Where `$((` and `((` turned out to be nested subshells, so that no text is tried twice. */
  readonly subshellsAt: Set<number>;
  /** Characters that were read once more, as what they may also be. */
  reread: number;
}

/** A place in a text. Nested texts (backquotes, here-documents) have cursors of their own on the same findings. */
export interface Cursor {
  readonly text: string;
  at: number;
  /** Where `text` starts in the whole line; null where it is not a plain piece of it. */
  readonly offset: number | null;
  readonly depth: number;
  readonly findings: Findings;
  /** The variables whose values are known here. */
  known: Known;
  /** What runs here may read what another command says. */
  isFed: boolean;
  readonly scanList: ScanList;
}

/** Reads commands up to the closing `)` or the end; handed down so that words can hold commands. */
type ScanList = (cursor: Cursor, closing: ")" | null) => void;

/** Deeper than anybody writes, and shallow enough for the stack. */
const MAX_READ_DEPTH = 200;
/** More expansions and groups than anybody writes. */
const MOST_INSIDES = 8_000;
/** Arithmetic in arithmetic in …: more than all of the longest line. */
const MOST_REREAD = 262_144;

export function createFindings(): Findings {
  return {
    commands: [],
    problems: new Map(),
    loopVariables: [],
    repeats: false,
    evaluates: false,
    sets: false,
    given: new Map(),
    bindings: [],
    counters: new Set(),
    counted: new Set(),
    mixed: new Set(),
    hidden: [],
    expanded: 0,
    words: 0,
    insides: 0,
    subshellsAt: new Set(),
    reread: 0,
  };
}

export function note(cursor: Cursor, kind: ShellProblem["kind"], text: string): void {
  if (!cursor.findings.problems.has(kind)) cursor.findings.problems.set(kind, text);
}

/** Nobody can read the line: it is denied as a whole, so that the rest of it does not count. */
export function giveUp(cursor: Cursor, why: string): void {
  note(cursor, "unreadable", why);
  cursor.at = cursor.text.length;
}

/** Runs `read` one level deeper; beyond the limit nothing is read and the line says so. */
export function descend(cursor: Cursor, text: string, offset: number | null, read: (inner: Cursor) => void): void {
  const { findings } = cursor;
  if (cursor.depth >= MAX_READ_DEPTH) giveUp(cursor, `nested more than ${MAX_READ_DEPTH} deep`);
  if (++findings.insides > MOST_INSIDES) giveUp(cursor, `more than ${MOST_INSIDES} expansions and groups`);
  if (findings.problems.has("unreadable")) {
    cursor.at = cursor.text.length;
    return;
  }
  const inner: Cursor = { ...cursor, text, at: text === cursor.text ? cursor.at : 0, offset, depth: cursor.depth + 1 };
  read(inner);
  if (findings.problems.has("unreadable")) cursor.at = cursor.text.length;
  else if (text === cursor.text) cursor.at = inner.at;
}

/** Counts text that is looked at once more; false where that was too often. */
export function mayReread(cursor: Cursor, length: number): boolean {
  const { findings } = cursor;
  findings.reread += length;
  if (findings.reread > MOST_REREAD) giveUp(cursor, "more arithmetic inside of arithmetic than can be read");
  return !findings.problems.has("unreadable");
}

/** `\` before a line end joins the lines, wherever it is not quoted. */
export function skipContinuations(cursor: Cursor): void {
  while (cursor.text[cursor.at] === "\\" && cursor.text[cursor.at + 1] === "\n") cursor.at += 2;
}

export function skipBlanks(cursor: Cursor): void {
  for (;;) {
    skipContinuations(cursor);
    const character = cursor.text[cursor.at];
    if (character !== " " && character !== "\t") return;
    cursor.at += 1;
  }
}

export function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\n";
}
