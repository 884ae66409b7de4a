import type { ShellProblem, ShellWord } from "../../core/rules/shell/command-line.ts";
import type { MarkedText } from "./expand-braces.ts";

/** A scanned command, before looking at what it runs. */
export interface ScannedCommand {
  readonly words: readonly ScannedWord[];
  readonly assignments: readonly ScannedAssignment[];
  readonly redirections: readonly ScannedRedirection[];
  readonly piped: boolean;
  readonly captured?: true;
  /** The same command as the one before, with other values. */
  readonly isAgain?: boolean;
  /** Its start in the whole text; null inside text that was unescaped first. */
  readonly start: number | null;
}

/** A word with variables whose values are still to be filled in. */
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

/** What an expansion may be: one of these texts, as long as nothing else in the line sets it. */
export interface Binding {
  /** Which variables and functions the line may assign, and how often. */
  readonly names: readonly string[];
  readonly times: number;
  /** May themselves use earlier bindings. */
  readonly values: readonly MarkedText[];
  /** The binding that it modifies, value by value. */
  readonly of: number;
}

/** The binding of each variable. */
export type Known = ReadonlyMap<string, number>;

/** What scanning collects. */
export interface Findings {
  readonly commands: ScannedCommand[];
  readonly problems: Map<ShellProblem["kind"], string>;
  readonly loopVariables: string[];
  repeats: boolean;
  /** Arithmetic or a subscript reads unknown text, which bash evaluates too. */
  evaluates: boolean;
  /** Something may set any variable. */
  sets: boolean;
  /** How often variables are assigned, and which values are known. */
  readonly given: Map<string, number>;
  readonly bindings: Binding[];
  /**
   * Variables that hold numbers here, those evaluated among them, and all that are assigned something else anywhere.
   */
  readonly counters: Set<string>;
  readonly counted: Set<string>;
  readonly mixed: Set<string>;
  /** Quoted text with substitutions in it, which run if it is evaluated. */
  readonly hidden: string[];
  /** Characters examined for brace expansion. */
  expanded: number;
  /** How many words were read. */
  words: number;
  /** How many nested texts were read. */
  insides: number;
  /** Where `$((` and `((` turned out to be nested subshells, so that no text is tried twice. */
  readonly subshellsAt: Set<number>;
  /** Characters that were read again in another interpretation. */
  reread: number;
}

/** A position in a text. Nested texts (backquotes, here-documents) have their own cursors on the same findings. */
export interface Cursor {
  readonly text: string;
  at: number;
  /** The start of `text` in the whole line; null if it is not a plain piece of it. */
  readonly offset: number | null;
  readonly depth: number;
  readonly findings: Findings;
  /** The variables whose values are known here. */
  known: Known;
  /** What runs here may read the output of another command. */
  isFed: boolean;
  readonly scanList: ScanList;
}

/** Reads commands up to the closing `)` or the end; passed down so that words can contain commands. */
type ScanList = (cursor: Cursor, closing: ")" | null) => void;

/** Deeper than anybody writes, and shallow enough for the stack. */
const MAX_READ_DEPTH = 200;
/** More expansions and groups than anybody writes. */
const MOST_INSIDES = 8_000;
/** Nested arithmetic: more than all of the longest line. */
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

/** The line is unreadable: it is denied as a whole, so the rest does not matter. */
export function giveUp(cursor: Cursor, why: string): void {
  note(cursor, "unreadable", why);
  cursor.at = cursor.text.length;
}

/** Runs `read` one level deeper; beyond the limit nothing is read and the line gets a problem. */
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

/** Counts text that is read again; false if that was too often. */
export function mayReread(cursor: Cursor, length: number): boolean {
  const { findings } = cursor;
  findings.reread += length;
  if (findings.reread > MOST_REREAD) giveUp(cursor, "more arithmetic inside of arithmetic than can be read");
  return !findings.problems.has("unreadable");
}

/** `\` before a line end joins the lines, unless quoted. */
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
