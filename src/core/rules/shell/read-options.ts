import { type ShellWord, UNKNOWN_TEXT } from "./command-line.ts";
import { type Kind, type Option, otherSub, type Program, programOf, type Slot, subOf } from "./program.ts";

/** One argument of a command, and what its table says about it. */
export interface Item {
  /**
   * `flag` an option without a value, `unknown` not in the table, `hidden` text that may turn out to be an option,
   * `sub` the name of a sub-command, `other` a sub-command without a table.
   */
  readonly kind: Kind | "flag" | "unknown" | "hidden" | "sub" | "other";
  /** As the table writes it, or as it appears if unknown; null for operands. */
  readonly option: string | null;
  /** The value; of a flag the option itself. */
  readonly word: ShellWord;
  /** Its index among the words: for a value that of its option, for a program that of its name. */
  readonly at: number;
  readonly marks: string;
}

export interface ReadOptions {
  /** The table that applies in the end: that of the sub-command, if there is one. */
  readonly program: Program | null;
  readonly items: readonly Item[];
}

interface State {
  readonly words: readonly ShellWord[];
  readonly items: Item[];
  program: Program;
  operands: { readonly word: ShellWord; readonly at: number }[];
  /** The slot of the next operand. */
  slot: number;
  /** Marks of the items so far; for a sub-command only its own. */
  marks: string;
  at: number;
  /** No more options follow. */
  ended: boolean;
}

const NO_TABLE: ReadOptions = { program: null, items: [] };
const cached = new WeakMap<readonly ShellWord[], ReadOptions>();
/** Kinds that take all remaining words. */
const RUNS: ReadonlySet<Kind> = new Set<Kind>(["program", "command-line", "maybe-program"]);

/** Reads the words of a command by its program's table: the only code that knows how options are written. */
export function readCommandOptions(words: readonly ShellWord[]): ReadOptions {
  const found = cached.get(words);
  if (found !== undefined) return found;
  const name = words[0]?.text ?? "";
  const program = programOf(name.slice(name.lastIndexOf("/") + 1));
  if (program === null) return NO_TABLE;
  const reading = read(words, program);
  cached.set(words, reading);
  return reading;
}

function read(words: readonly ShellWord[], program: Program): ReadOptions {
  const state: State = { words, items: [], program, operands: [], slot: 0, marks: "", at: 1, ended: false };
  for (let word = words[1]; word !== undefined; word = words[state.at]) {
    const { style } = state.program;
    if (state.at === 1 && style.includes("b") && /^[a-zA-Z]/.test(word.text)) readCluster(state, word, true);
    else if (!state.ended && word.text === "--" && !/[nz]/.test(style)) {
      const command = optionOf(state.program, "--");
      state.ended = true;
      if (command === undefined) state.at += 1;
      else take(state, command, word, null);
    } else if (!state.ended && isOption(word, state.program)) readOption(state, word);
    else readOperand(state, word);
  }
  settle(state);
  return { program: state.program, items: state.items };
}

function isOption({ text }: ShellWord, program: Program): boolean {
  if (program.style.includes("z")) return false;
  if (text.startsWith("-")) return text !== "-";
  return text.startsWith("+") && text.length > 1 && optionOf(program, "+") !== undefined;
}

/** The option of that name, here or in the parent tables. */
function optionOf(program: Program, name: string): Option | undefined {
  const own = program.options.get(program.style.includes("i") ? name.toLowerCase() : name);
  return own ?? (program.parent === null ? undefined : optionOf(program.parent, name));
}

function readOption(state: State, word: ShellWord): void {
  const { text } = word;
  const { program } = state;
  const equals = text.indexOf("=");
  const name = equals === -1 ? text : text.slice(0, equals);
  const joined = equals === -1 ? null : { ...word, text: text.slice(equals + 1) };
  if (word.nature === "several") add(state, "hidden", word, state.at, null);
  if (name.includes(UNKNOWN_TEXT) || (word.hasGlob && /[*?[]/.test(name))) add(state, "hidden", word, state.at++, null);
  else if (text.startsWith("+")) take(state, optionOf(program, "+"), word, { ...word, text: text.slice(1) });
  else if (program.style.includes("1")) {
    // One dash or two: `go` and `tsc` accept both.
    const other = text.startsWith("--") ? name.slice(1) : `-${name}`;
    const whole = optionOf(program, name) ?? optionOf(program, other);
    const bare = text.startsWith("--") ? text.slice(1) : text;
    const isStuck = whole === undefined && program.style.includes("j");
    const stuck = isStuck ? (longestOf(program, text) ?? longestOf(program, bare)) : undefined;
    const written = stuck !== undefined && text.startsWith(stuck.name) ? text : bare;
    if (stuck === undefined) take(state, whole, word, joined);
    else take(state, stuck, word, { ...word, text: written.slice(stuck.name.length) });
  } else if (text.startsWith("--")) take(state, longOption(program, name), word, joined);
  else readCluster(state, word, false);
}

/** The option itself, or the most dangerous one that it may abbreviate. */
function longOption(program: Program, name: string): Option | undefined {
  const own = optionOf(program, name);
  if (own !== undefined) return own;
  const found: Option[] = [];
  for (let one: Program | null = program; one !== null; one = one.parent)
    for (const [long, option] of one.options) if (long.startsWith(name) && name.length > 2) found.push(option);
  return found.sort((a, b) => weight(b) - weight(a))[0];
}

function weight({ marks, values: [kind] }: Option): number {
  if (/[!~]/.test(marks) || kind === "uncovered" || kind === "code-loaded") return 4;
  return kind === undefined ? 0 : kind === "text" ? 1 : kind === "file-read" ? 2 : 3;
}

/** Longer than any option name or cluster. */
const MAX_NAME = 64;

function longestOf(program: Program, text: string): Option | undefined {
  for (let end = Math.min(text.length - 1, MAX_NAME); end > 1; end--) {
    const found = optionOf(program, text.slice(0, end));
    if (found !== undefined && found.values.length > 0) return found;
  }
  return undefined;
}

/** `-abc`, `-ofile`, `-20`; a bundle takes its values from the words after it, one by one. */
function readCluster(state: State, word: ShellWord, isBundle: boolean): void {
  const { text } = word;
  if (/^-\d+$/.test(text) && optionOf(state.program, "-#") !== undefined) {
    add(state, "flag", word, state.at++, "-#");
    return;
  }
  const start = state.at++;
  for (let place = isBundle ? 0 : 1; place < text.length; place++) {
    const letter = text[place] ?? "";
    const bare = isBundle ? optionOf(state.program, `+${letter}`) : undefined;
    const option = bare ?? optionOf(state.program, `-${letter}`);
    const rest = { ...word, text: text.slice(place + 1) };
    if (place > MAX_NAME) {
      add(state, "uncovered", word, start, null);
      return;
    }
    if (option === undefined) add(state, "unknown", rest, start, `-${letter}`);
    else if (option.values.length === 0 || (isBundle && option.isOptional)) add(state, "flag", word, start, option);
    else if (isBundle) for (const kind of option.values) takeNext(state, kind, start, option);
    else {
      state.at = start;
      take(state, option, word, rest.text === "" ? null : rest);
      return;
    }
  }
}

/** Adds an option with its values; `joined` is a value in the same word. */
function take(state: State, option: Option | undefined, word: ShellWord, joined: ShellWord | null): void {
  const start = state.at++;
  if (option === undefined) {
    takeOther(state, word, joined, start);
    return;
  }
  const [first, ...more] = option.values;
  if (first === undefined) add(state, joined === null ? "flag" : "unknown", joined ?? word, start, option);
  else if (joined !== null) addValue(state, first, joined, start, option);
  else if (option.isOptional) add(state, "flag", word, start, option);
  else takeNext(state, first, start, option);
  for (const kind of more) takeNext(state, kind, start, option);
  if (option.marks.includes(";")) state.ended = true;
}

/** An option that the table does not name: `--*` says what kind the values of such options are. */
function takeOther(state: State, word: ShellWord, joined: ShellWord | null, start: number): void {
  const other = word.text.startsWith("--") ? optionOf(state.program, "--*") : undefined;
  const [kind] = other?.values ?? [];
  if (other === undefined || kind === undefined) add(state, "unknown", joined ?? word, start, word.text);
  else if (joined !== null) addValue(state, kind, joined, start, other);
  else if (word.text.startsWith("--no-") || /^-|^$/.test(state.words[state.at]?.text ?? ""))
    add(state, "flag", word, start, other);
  else takeNext(state, kind, start, other);
}

function takeNext(state: State, kind: Kind, start: number, option: Option): void {
  const next = state.words[state.at];
  if (next === undefined) return;
  if (kind === "program-up-to-mark" || RUNS.has(kind)) {
    add(state, kind, next, state.at, option);
    state.at = kind === "program-up-to-mark" ? endOfExec(state.words, state.at) + 1 : state.words.length;
  } else {
    state.at += 1;
    addValue(state, kind, next, start, option);
    // Text that may become several words is a value only with its first word.
    if ((next.hasGlob || next.nature === "several") && mayBeOption(next)) add(state, "hidden", next, start, null);
  }
}

/** The `;` or the `+` of `{} +` after `-exec program …`. */
export function endOfExec(words: readonly ShellWord[], from: number): number {
  for (let at = from + 1; at < words.length; at++) {
    const text = words[at]?.text;
    if (text === ";" || (text === "+" && words[at - 1]?.text === "{}")) return at;
  }
  return words.length;
}

/** A module of a package that does not come with the language. */
const OWN_MODULE =
  /^(?!(?:asyncio|concurrent|ctypes|curses|distutils|email|encodings|ensurepip|html|http|idlelib|importlib|json|lib2to3|logging|multiprocessing|os|pip|pydoc_data|re|sqlite3|test|tkinter|tomllib|turtledemo|unittest|urllib|venv|wsgiref|xml|xmlrpc|zipfile|zoneinfo)\.)\w+(?:\.\w+)+$/;

function addValue(state: State, kind: Kind, word: ShellWord, start: number, option: Option): void {
  if (RUNS.has(kind)) state.at = state.words.length;
  if (kind !== "sub-command") add(state, kind, word, start, option);
  else {
    const named = subOf(state.program, `${option.name} ${word.text}`);
    const sub = named ?? (OWN_MODULE.test(word.text) ? subOf(state.program, `${option.name} *`) : null);
    add(state, sub === null ? "uncovered" : "sub", word, start, option);
    if (sub !== null) enter(state, sub);
  }
}

function readOperand(state: State, word: ShellWord): void {
  const { program } = state;
  const at = state.at++;
  if (!state.ended && mayBeOption(word)) add(state, "hidden", word, at, null);
  if (state.slot === 0 && hasMark(state, "^")) state.slot = 1;
  let slot = program.slots[state.slot];
  if (slot?.kind === "environment-value" && word.text !== "-" && !/^\w+\+?=/.test(word.text))
    slot = program.slots[++state.slot];
  const own = slot?.kind === "sub-command" && word.isStatic ? subOf(program, nameIn(program, word.text)) : null;
  if (slot?.kind === "sub-command" && own === null && slot.marks.includes(".")) slot = program.slots[++state.slot];
  if (slot?.kind === "sub-command") {
    const sub = own ?? otherSub(program);
    add(state, sub === null ? "other" : "sub", word, at, null, sub?.style.match(/[!?]/)?.[0]);
    enter(state, sub ?? unknownSub(program));
    return;
  }
  const last = state.items.at(-1);
  const isValue = last !== undefined && last.at === at - 1 && isBareUnknown(last);
  if (program.style.includes("s") && !isValue) state.ended = true;
  if (slot !== undefined && RUNS.has(slot.kind) && !hasMark(state, ".")) {
    add(state, slot.kind, word, at, null, slot.marks);
    state.at = state.words.length;
  } else state.operands.push({ word, at });
  if (slot?.isMany === false) state.slot += 1;
}

function nameIn({ style }: Program, text: string): string {
  return style.includes("i") ? text.toLowerCase() : text;
}

/** An unknown option without a value so far: the next word may be its value. */
export function isBareUnknown({ kind, option, word }: Item): boolean {
  return kind === "unknown" && option !== null && (word.text === option || word.text === "") && !option.includes("=");
}

/** Unknown text that may be anything, or a pattern that a file named `-x` would match. */
function mayBeOption({ text, isStatic, nature }: ShellWord): boolean {
  if (isStatic || nature === "several") return !isStatic;
  return (nature !== "operand" && text.startsWith(UNKNOWN_TEXT)) || /^[*?[]/.test(text);
}

function enter(state: State, sub: Program): void {
  state.program = sub;
  state.slot = 0;
  state.marks = "";
}

/** A sub-command without a table: its options are judged by their appearance. */
function unknownSub(program: Program): Program {
  const options = program.style.includes("h") ? program.options : new Map();
  return { ...program, options, slots: [], style: `${program.style}o`, isReader: false };
}

/** The kinds of operands depend on their number, and on options that replace one of them. */
function settle(state: State): void {
  const { operands, program } = state;
  const own = program.slots.filter(({ kind }) => kind !== "sub-command");
  const [first, ...rest] = own;
  let slots: readonly Slot[] = own;
  if (hasMark(state, ":"))
    slots = [
      { kind: "shell-line", isMany: false, marks: "" },
      { kind: "text", isMany: true, marks: "" },
    ];
  else if (hasMark(state, "^") && first !== undefined) slots = rest;
  if (hasMark(state, "$")) slots = slots.slice(0, -1);
  const many = slots.findIndex(({ isMany }) => isMany);
  const behind = many === -1 ? 0 : slots.length - many - 1;
  operands.forEach(({ word, at }, index) => {
    const fromEnd = operands.length - index;
    const isLast = behind > 0 && fromEnd <= behind && operands.length > many + 1;
    const slot = isLast ? slots[slots.length - fromEnd] : slots[many === -1 ? index : Math.min(index, many)];
    // With `command -v` nothing is run.
    const kind = slot !== undefined && RUNS.has(slot.kind) ? "text" : slot?.kind;
    add(state, kind ?? "unknown", word, at, null, slot?.marks ?? "");
  });
}

function hasMark({ marks }: State, mark: string): boolean {
  return marks.includes(mark);
}

function add(
  state: State,
  kind: Item["kind"],
  word: ShellWord,
  at: number,
  option: Option | string | null,
  own = "",
): void {
  const [name, marks] = typeof option === "object" && option !== null ? [option.name, option.marks] : [option, own];
  state.items.push({ kind, option: name, word, at, marks });
  if (!state.marks.includes(marks)) state.marks += marks;
}
