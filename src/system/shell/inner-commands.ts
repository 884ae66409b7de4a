import {
  type InnerCommands,
  PROCESS_FILE,
  type ShellCommand,
  type ShellWord,
  UNKNOWN_TEXT,
} from "../../core/rules/shell/command-line.ts";
import { endOfExec, type Item, type ReadOptions, readCommandOptions } from "../../core/rules/shell/read-options.ts";
import { takesScript } from "../../core/rules/shell/script-input.ts";
import { startedBy } from "../../core/rules/shell/script-text.ts";
import { guessTexts, isMisfit, isPipe, joinWords, laterLines, mayHideLine, withoutKey } from "./guessed-texts.ts";

/** Reads a text as a separate command line. */
type ReadText = (text: ShellWord) => readonly ShellCommand[];
type Command = Omit<ShellCommand, "inner">;

/** Maximum nesting of wrappers; no honest command is deeper. */
const MAX_DEPTH = 12;
/** How many positions are tried if nothing tells where a command starts. */
const MAX_GUESSES = 16;

/** The limit of inner reading for a whole line: guesses inside guesses would have no end. */
interface Budget {
  left: number;
}

export interface InnerReading {
  /** Text that an earlier command of the pipe prints, as far as that is plain. */
  readonly fed?: readonly ShellWord[];
  /** Text that other commands of the line print, which may reach this one indirectly. */
  readonly around: () => readonly ShellWord[];
  /** The same for a word of a command, computed on demand. */
  readonly inPlace: () => readonly ShellWord[];
  readonly read: ReadText;
  /** The same for text that may be no command line at all: its problems do not count. */
  readonly guess: ReadText;
  readonly budget: Budget;
  /** It is only a guess that this is a command, so an unknown program does not count. */
  readonly isGuess?: boolean;
}

/** The command with everything that it runs nested below it. */
export function withInner(command: Command, reading: InnerReading, depth = 0): ShellCommand {
  if (depth > 0) reading.budget.left -= 1;
  if (reading.budget.left <= 0) return { ...command, inner: [] };
  if (depth >= MAX_DEPTH) reading.budget.left = 0;
  return { ...command, inner: depth >= MAX_DEPTH ? [] : findInner(command, reading, depth) };
}

function findInner(command: Command, reading: InnerReading, depth: number): readonly InnerCommands[] {
  const { words } = command;
  const options = readCommandOptions(words);
  const isKnown = options.program !== null;
  const isPlainGuess = reading.isGuess === true && !isKnown && words.every(({ text }) => !text.includes(UNKNOWN_TEXT));
  if (command.assignments.length === 0 && (isPlainGuess || (isKnown && !mayRun(options)))) return [];
  if (depth > 0) reading.budget.left -= 4 + words.length;
  const wrapped = ({ words: own, at, transparent = false, guessed = false }: Argv): InnerCommands => {
    const inner = { words: own, assignments: [], redirections: [], piped: command.piped };
    const below = guessed ? { ...reading, isGuess: true } : reading;
    return { transparent, guessed, at, commands: [withInner(inner, below, depth + 1)] };
  };
  const isLoose = reading.isGuess !== true && isOpen(options);
  const argvs = [
    ...(isKnown ? findArgvs(words, options) : []),
    ...(isLoose ? looseArgvs(words, looseFrom(options), true) : []),
  ];
  const input = [...inputTexts(command), ...(reading.fed ?? [])];
  const isShell = options.program?.language === "sh" && takesScript(command);
  const texts = [...linesIn(words, options), ...(isShell ? input.flatMap(laterLines) : [])].filter(isText);
  const given = options.program?.readsInput === true ? [...input, ...(isFed(command) ? reading.around() : [])] : [];
  const added = addGiven(argvs, given, reading.budget);
  const named = argvs.flatMap(({ words: [name] }) => name ?? []);
  const loose = isLoose
    ? words
        .slice(1)
        .filter(mayBeLine)
        .flatMap((word) => [word, withoutKey(word), ...startedBy("code", word)])
    : [];
  const scripts = isLoose ? input.flatMap((word) => startedBy("code", word)) : [];
  const unseen = [
    ...scripts,
    ...unseenLines(words, texts, reading),
    ...added,
    ...(isKnown ? named.filter(hasBlanks) : []),
    ...loose,
  ];
  const guesses = [...guessTexts(command, options, given), ...unseen].filter(isText);
  const read = (text: ShellWord, guessed: boolean): InnerCommands => ({
    transparent: false,
    guessed,
    at: null,
    commands: guessed ? reading.guess(text) : reading.read(text),
  });
  return [
    ...argvs.map(wrapped),
    ...texts.map((text) => read(text, false)),
    ...unlike(guesses, texts).map((text) => read(text, true)),
  ];
}

/** What is appended to the words of a command: `xargs rm`. Joining sixteen words takes as long as one command. */
function addGiven(argvs: readonly Argv[], given: readonly ShellWord[], budget: Budget): readonly ShellWord[] {
  budget.left -= (given.length * argvs.reduce((sum, { words }) => sum + words.length, 0)) / 16;
  if (budget.left <= 0) return [];
  return argvs.flatMap(({ words }) => given.map((text) => joinWords([...words.filter(isKnownText), text])));
}

/** Kinds that may contain a program or text to run. */
const RUNNING: ReadonlySet<Item["kind"]> = new Set<Item["kind"]>([
  ...(["shell-line", "maybe-program", "command-line", "program-up-to-mark", "program", "program-in-one-word"] as const),
  ...(["maybe-command", "environment-value", "program-value", "shell-value", "code-run"] as const),
]);

function mayRun(options: ReadOptions): boolean {
  const { program, items } = options;
  const readsScripts = program?.readsInput === true || (program?.language ?? null) !== null;
  return (
    readsScripts ||
    isOpen(options) ||
    items.some(
      (item) =>
        RUNNING.has(item.kind) ||
        isMisfit(item) ||
        isPipe(item) ||
        isUnknownOperand(item, options) ||
        (item.kind === "hidden" && program?.hasRisk === true) ||
        mayHideLine(item, items),
    )
  );
}

/** Its options are not all known, so any word may be a command. */
function isOpen({ program }: ReadOptions): boolean {
  return program === null || program.style.includes("o");
}

/** After the program and the names of sub-commands. */
function looseFrom({ items }: ReadOptions): number {
  return 1 + Math.max(0, ...items.filter(({ kind }) => kind === "sub" || kind === "other").map(({ at }) => at));
}

/** Not after a script, whose own words they are. */
function isUnknownOperand({ kind, option }: Item, { program }: ReadOptions): boolean {
  return option === null && (kind === "uncovered" || (kind === "unknown" && program?.slots.length === 0));
}

/** If only the shell knows what runs, it may be any text of the line: `r=rm; $r x`, `eval "$x"`, `find . $x`. */
function unseenLines(words: readonly ShellWord[], texts: readonly ShellWord[], { around, inPlace }: InnerReading) {
  const open = words.findIndex(({ text, nature }, at) => text === UNKNOWN_TEXT && (at === 0 || nature === "several"));
  const given = open === -1 ? [] : open === 0 ? around() : inPlace();
  const [name] = words;
  // It may contain blanks: `rm${IFS}x`.
  const cut =
    name?.nature === "several" && open !== 0 ? [{ ...name, text: name.text.replaceAll(UNKNOWN_TEXT, " ") }] : [];
  return [
    ...cut.map((first) => joinWords([first, ...words.slice(1)])),
    ...given.map((text) => joinWords(words.with(open, text))),
    ...(texts.every(({ isStatic }) => isStatic) ? [] : around()),
  ];
}

function isText({ text }: ShellWord): boolean {
  return text.trim() !== "";
}

function hasBlanks({ text }: ShellWord): boolean {
  return /\s/.test(text.trim());
}

/** `alias.x=log` means `git log`. */
function mayBeLine(word: ShellWord): boolean {
  return hasBlanks(word) || word.text.startsWith("alias.");
}

function isKnownText({ text }: ShellWord): boolean {
  return text !== UNKNOWN_TEXT;
}

/** Each text once, and none that was read already. */
export function unlike(words: readonly ShellWord[], known: readonly ShellWord[] = []): readonly ShellWord[] {
  const seen = new Set(known.map(({ text }) => text));
  return words.filter(({ text }) => !seen.has(text) && seen.add(text));
}

function inputTexts({ redirections }: Command): readonly ShellWord[] {
  return redirections.filter(({ effect }) => effect === "text").map(({ target }) => target);
}

/** It gets the output of others: from a pipe, or from a process in a word, in a variable or in front of its input. */
function isFed({ piped, words, assignments, redirections }: Command): boolean {
  const others = [...assignments.map(({ value }) => value), ...redirections.map(({ target }) => target)];
  return piped || [...words, ...others].some(({ text }) => text.includes(PROCESS_FILE));
}

/** Words that are command lines themselves. */
function linesIn(words: readonly ShellWord[], { items }: ReadOptions): readonly ShellWord[] {
  return items.flatMap(({ kind, word, at }) => {
    if (kind === "shell-line") return [{ ...word, text: word.text.replace(/^(?:exec=|:?!)/, "") }];
    if (kind === "maybe-program") return words.slice(at, at + MAX_GUESSES).filter(hasBlanks);
    return kind === "command-line" ? [joinWords(words.slice(at))] : [];
  });
}

interface Argv {
  readonly words: readonly ShellWord[];
  readonly at: number;
  readonly transparent?: boolean;
  readonly guessed?: boolean;
}

/** The programs among the words of another one. */
function findArgvs(words: readonly ShellWord[], options: ReadOptions): readonly Argv[] {
  const { program, items } = options;
  const style = program?.style ?? "";
  return items.flatMap((item): readonly Argv[] => {
    const { kind, at, word } = item;
    if (kind === "maybe-program") return looseArgvs(words, at, false);
    if (isUnknownOperand(item, options)) return [{ words: words.slice(at), at, guessed: true }];
    // If there is no such file, some look for a program of that name: `bun run ls`.
    if (kind === "code-run" && /^[\w-]+$/.test(word.text)) return [{ words: words.slice(at), at, guessed: true }];
    if (kind === "program-up-to-mark") return [{ words: execOf(words, at), at }];
    if (kind === "program-in-one-word")
      return [{ words: [word, ...words.slice(items.find((one) => one.kind === "program")?.at ?? words.length)], at }];
    if (kind !== "program" && kind !== "command-line") return [];
    const own = words[at] === word ? words.slice(at) : [word, ...words.slice(at + 1)];
    const before = items.filter((one) => one.at < at && one !== item);
    // An unknown option may have taken the next word: then the program starts later.
    const isOdd = before.some((one) => one.kind === "unknown");
    const starts = isOdd ? own.slice(0, MAX_GUESSES) : own.slice(0, 1);
    const transparent =
      style.includes("T") && before.every(isPlain) && words.slice(0, at).every(({ isStatic }) => isStatic);
    return starts.map((_, offset) => {
      const behind = own.slice(offset);
      return { words: style.includes("+") ? appended(behind, before) : behind, at: at + offset, transparent };
    });
  });
}

function isPlain({ kind, marks }: Item): boolean {
  return (kind === "flag" || kind === "text") && !marks.includes("!");
}

/** Any word may be the program. */
function looseArgvs(words: readonly ShellWord[], from: number, guessed: boolean): readonly Argv[] {
  return words.slice(from, from + MAX_GUESSES).flatMap(({ text }, offset) => {
    const at = from + offset;
    return text === "" || text.startsWith("-") ? [] : [{ words: words.slice(at), at, guessed }];
  });
}

/** `-exec program … ;` */
function execOf(words: readonly ShellWord[], at: number): readonly ShellWord[] {
  return words.slice(at, endOfExec(words, at)).map((word) =>
    // What `find` inserts never looks like an option.
    word.text === "{}"
      ? { ...word, text: `./${UNKNOWN_TEXT}`, isStatic: false, nature: "below" }
      : placed(word, ["{}"]),
  );
}

const UNKNOWN_WORD: ShellWord = { text: UNKNOWN_TEXT, isStatic: false, hasGlob: false, hasTilde: false };

/** `xargs` puts its input in place of `{}` or of a given word, or after all others. */
function appended(words: readonly ShellWord[], before: readonly Item[]): readonly ShellWord[] {
  const told = before.filter(({ option }) => option === "-I" || option === "-i" || option === "--replace");
  const places = told.map(({ word }) => word.text).filter((text) => text !== "");
  return [...words.map((word) => placed(word, [...places, "{}"])), UNKNOWN_WORD];
}

/** The word with unknown text in place of its marks. */
function placed(word: ShellWord, marks: readonly string[]): ShellWord {
  const text = marks.reduce((left, mark) => left.replaceAll(mark, UNKNOWN_TEXT), word.text);
  return text === word.text ? word : { ...word, text, isStatic: false };
}

/** What a command prints that a shell after a pipe would run: `echo` and `printf`, and here-documents passed on. */
export function printedBy({ words, redirections }: Command): readonly ShellWord[] {
  const texts = redirections.filter(({ effect }) => effect === "text").map(({ target }) => target);
  return /(?:^|\/)(?:echo|printf)$/.test(words[0]?.text ?? "") ? [...texts, joinWords(words.slice(1))] : texts;
}
