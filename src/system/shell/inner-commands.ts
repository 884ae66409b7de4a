import {
  type InnerCommands,
  type ShellCommand,
  type ShellWord,
  UNKNOWN_TEXT,
} from "../../core/rules/shell/command-line.ts";
import { RISKS } from "../../core/rules/shell/risky-options.ts";
import { guessTexts, READS_SCRIPTS } from "./guessed-texts.ts";
import { joinWords, optionValues, unwrapWords } from "./wrapped-words.ts";
import { INTERPRETERS, RUN_OPTIONS, SHELLS, WRAPPERS } from "./wrappers.ts";

/** Reads a text as a command line of its own. */
type ReadText = (text: ShellWord) => readonly ShellCommand[];

/** Wrappers inside wrappers; deeper ones are nobody's honest command. */
const MAX_DEPTH = 12;

/** How much is looked into, over a whole line: guesses inside guesses would have no end. */
interface Budget {
  left: number;
}

export interface InnerReading {
  /** Text that a command before it in a pipe prints, as far as that is plain. */
  readonly fed?: readonly ShellWord[];
  /** Text that other commands of the line print, which may reach this one by a longer way. */
  readonly around: () => readonly ShellWord[];
  readonly read: ReadText;
  /** The same for text that may be no command line at all: what is odd about it counts for nothing. */
  readonly guess: ReadText;
  readonly budget: Budget;
}

/** The command with everything that it runs below it. */
export function withInner(command: Omit<ShellCommand, "inner">, reading: InnerReading, depth = 0): ShellCommand {
  if (depth > 0) reading.budget.left -= 1;
  if (reading.budget.left <= 0) return { ...command, inner: [] };
  if (depth >= MAX_DEPTH) reading.budget.left = 0;
  return { ...command, inner: depth >= MAX_DEPTH ? [] : findInner(command, reading, depth) };
}

function findInner(
  command: Omit<ShellCommand, "inner">,
  reading: InnerReading,
  depth: number,
): readonly InnerCommands[] {
  const [first, ...rest] = command.words;
  if (first === undefined) return [];
  const name = baseName(first.text);
  const wrapped = ({ words, at, transparent, guessed = false }: Argv): InnerCommands => ({
    transparent,
    guessed,
    at,
    commands: [withInner({ words, assignments: [], redirections: [], piped: command.piped }, reading, depth + 1)],
  });
  const texts = findTexts(name, rest, command, reading.fed ?? []).filter(isText);
  const takes = takesCommands(name, rest);
  const isGiven = takes || READS_SCRIPTS.has(name);
  const given = isGiven ? [...inputTexts(command), ...(isFed(command) ? reading.around() : [])] : [];
  const guesses = [...guessTexts(name, rest, given), ...(takes ? given : [])].filter(isText);
  return [
    ...findArgvs(name, command.words).map(wrapped),
    ...texts.map((text) => ({ transparent: false, guessed: false, at: null, commands: reading.read(text) })),
    ...unlike(guesses, texts).map((text) => ({
      transparent: false,
      guessed: true,
      at: null,
      commands: reading.guess(text),
    })),
  ];
}

function isText({ text }: ShellWord): boolean {
  return text.trim() !== "";
}

/** Each text once, and none that was read already. */
function unlike(words: readonly ShellWord[], known: readonly ShellWord[]): readonly ShellWord[] {
  const seen = new Set(known.map(({ text }) => text));
  return words.filter(({ text }) => !seen.has(text) && seen.add(text));
}

function inputTexts({ redirections }: Omit<ShellCommand, "inner">): readonly ShellWord[] {
  return redirections.filter(({ effect }) => effect === "text").map(({ target }) => target);
}

/** A process substitution among its words. */
const PROCESS_FILE = "/dev/fd/63";

/** It gets what others print: from a pipe, or from a process in a word or in front of its input. */
function isFed({ piped, words, redirections }: Omit<ShellCommand, "inner">): boolean {
  const targets = redirections.map(({ target }) => target);
  return piped || [...words, ...targets].some(({ text }) => text.includes(PROCESS_FILE));
}

/** It runs what it reads, from wherever that comes. */
function takesCommands(name: string, rest: readonly ShellWord[]): boolean {
  if (name === "source" || name === "." || LATER.has(name)) return true;
  if (!SHELLS.has(name)) return false;
  const script = rest.find(({ text }) => !/^[-+]/.test(text));
  const isInput = script === undefined || /^\/(?:dev\/(?:stdin|fd\/)|proc\/)/.test(script.text);
  return isInput || rest.some(({ text }) => /^-[A-Za-z]*s/.test(text));
}

interface Argv {
  readonly words: readonly ShellWord[];
  readonly at: number;
  readonly transparent: boolean;
  readonly guessed?: boolean;
}

const UNKNOWN_WORD: ShellWord = { text: UNKNOWN_TEXT, isStatic: false, hasGlob: false, hasTilde: false };

function findArgvs(name: string, words: readonly ShellWord[]): readonly Argv[] {
  if (name === "find") return findExecs(words);
  if (name === "git") return findAfter(words, ["bisect", "run"]);
  const wrapper = WRAPPERS.get(name) ?? (/^ld(?:-linux.*|-musl.*)?\.so/.test(name) ? {} : undefined);
  if (wrapper === undefined) return RISKS.has(name) ? [] : findBehindDashes(words);
  const { starts, transparent } = unwrapWords(words, wrapper);
  return starts.map((at) => {
    const inner = words.slice(at);
    if (wrapper.appends !== true) return { words: inner, at, transparent };
    // Behind its name the command has options of its own: the `r` of `grep -ir` stands for nothing.
    const replaced = new Set(words.slice(0, at).flatMap(replacedBy));
    return { words: [...inner.map((word) => placeOf(word, replaced)), UNKNOWN_WORD], at, transparent };
  });
}

/** `tool … -- command`: of a program that nobody here knows, deny and ask rules look behind the dashes. */
function findBehindDashes(words: readonly ShellWord[]): readonly Argv[] {
  const at = words.findIndex(({ text }, index) => index > 0 && text === "--") + 1;
  const behind = words[at];
  if (at === 0 || behind === undefined || behind.text.startsWith("-")) return [];
  return [{ words: words.slice(at), at, transparent: false, guessed: true }];
}

function findAfter(words: readonly ShellWord[], path: readonly string[]): readonly Argv[] {
  const at = words.findIndex((_, index) => path.every((step, offset) => words[index + offset]?.text === step));
  if (at === -1 || at + path.length >= words.length) return [];
  return [{ words: words.slice(at + path.length), at: at + path.length, transparent: false }];
}

const EXECS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

function findExecs(words: readonly ShellWord[]): readonly Argv[] {
  const found: Argv[] = [];
  let from: number | null = null;
  for (const [index, { text }] of words.entries()) {
    if (from === null) from = EXECS.has(text) ? index + 1 : null;
    else if (text === ";" || (text === "+" && words[index - 1]?.text === "{}")) {
      found.push({ words: words.slice(from, index).map(fileOf), at: from, transparent: false });
      from = null;
    }
  }
  if (from !== null) found.push({ words: words.slice(from).map(fileOf), at: from, transparent: false });
  return found;
}

/** The word that `xargs` puts its input in place of: `-I %`, `-0I%`, `--replace=%`; without one it is `{}`. */
function replacedBy({ text }: ShellWord, at: number, words: readonly ShellWord[]): readonly string[] {
  const [, letter, stuck = ""] = /^-\w*?([Ii])(.*)$/s.exec(text) ?? [];
  if (letter === undefined) return text.startsWith("--replace=") ? [text.slice(10)] : [];
  return stuck !== "" ? [stuck] : letter === "I" ? [words[at + 1]?.text ?? ""] : [];
}

function placeOf(word: ShellWord, replaced: ReadonlySet<string>): ShellWord {
  const text = [...replaced].reduce((left, one) => (one === "" ? left : left.replaceAll(one, UNKNOWN_TEXT)), word.text);
  return text === word.text ? fileOf(word) : { ...word, text, isStatic: false };
}

/** `{}` is a file that only find knows. */
function fileOf(word: ShellWord): ShellWord {
  return word.text.includes("{}") ? { ...word, text: word.text.replaceAll("{}", UNKNOWN_TEXT), isStatic: false } : word;
}

/** Words that are command lines themselves. */
function findTexts(
  name: string,
  rest: readonly ShellWord[],
  command: Omit<ShellCommand, "inner">,
  fed: readonly ShellWord[],
): readonly ShellWord[] {
  const options = RUN_OPTIONS.get(name);
  const found = options === undefined ? [] : optionValues(rest, options.split(" ")).map(withoutPrefix);
  if (SHELLS.has(name)) return findShellTexts(rest, command, fed);
  if (LATER.has(name)) return findLaterTexts(command, fed);
  const wrapper = WRAPPERS.get(name);
  if (wrapper !== undefined) return [...found, ...unwrapWords(command.words, wrapper).strings];
  if (INTERPRETERS.has(name)) return [...rest, ...inputTexts(command), ...fed].flatMap(findStarted);
  return [...found, ...(BUILTINS.get(name)?.(rest) ?? [])];
}

/** Programs that keep the commands on their input for later. */
const LATER = new Set(["at", "batch", "crontab"]);

/** Lines of a crontab have five fields before the command, or a word such as `@daily`. */
function findLaterTexts(
  { redirections }: Omit<ShellCommand, "inner">,
  fed: readonly ShellWord[],
): readonly ShellWord[] {
  const texts = [...redirections.filter(({ effect }) => effect === "text").map(({ target }) => target), ...fed];
  return texts.flatMap((word) => {
    const lines = word.text.replace(/^[ \t]*(?:@\w+|(?:[\d*,/A-Za-z-]+[ \t]+){4}[\d*,/A-Za-z-]+)[ \t]+/gm, "");
    return lines === word.text ? [word] : [word, { ...word, text: lines }];
  });
}

/** `exec=…` of a checkpoint action, `!…` and `:!…` of editors and pagers. */
function withoutPrefix(word: ShellWord): ShellWord {
  return { ...word, text: word.text.replace(/^(?:exec=|:?!)/, "") };
}

const BUILTINS: ReadonlyMap<string, (rest: readonly ShellWord[]) => readonly ShellWord[]> = new Map([
  ["eval", (rest) => [joinWords(rest[0]?.text === "--" ? rest.slice(1) : rest)]],
  ["trap", (rest) => rest.filter(({ text }) => !text.startsWith("-")).slice(0, 1)],
  ["alias", (rest) => rest.flatMap(valueBehind)],
  ["less", (rest) => rest.filter(({ text }) => /^\+\+?!/.test(text)).map(behindBang)],
  ["git", (rest) => findGitTexts(rest)],
]);

function valueBehind(word: ShellWord): readonly ShellWord[] {
  const at = word.text.indexOf("=");
  return at === -1 ? [] : [{ ...word, text: word.text.slice(at + 1) }];
}

function behindBang(word: ShellWord): ShellWord {
  return { ...word, text: word.text.slice(word.text.indexOf("!") + 1) };
}

/** Aliases given with `-c`, and the commands of `rebase --exec`, `submodule foreach` and `difftool --extcmd`. */
function findGitTexts(rest: readonly ShellWord[]): readonly ShellWord[] {
  const aliases = rest.flatMap((word, index) => {
    const stuck = /^(?:-c|--config-env=)?(alias\.[^=]+)=(.*)$/s.exec(word.text);
    if (stuck !== null) return [toAliasText(word, stuck[2] ?? "")];
    const next = rest[index + 1];
    return /^alias\./.test(word.text) && next !== undefined ? [toAliasText(next, next.text)] : [];
  });
  const has = (text: string): boolean => rest.some((word) => word.text === text);
  const each = has("foreach") ? rest.slice(rest.findIndex(({ text }) => text === "foreach") + 1) : [];
  return [
    ...aliases,
    ...(has("rebase") || has("difftool") ? optionValues(rest, ["-x", "--exec", "--extcmd"]) : []),
    ...(each.length > 0 ? [joinWords(each.filter(({ text }) => text !== "--recursive"))] : []),
  ];
}

function toAliasText(word: ShellWord, value: string): ShellWord {
  return { ...word, text: value.startsWith("!") ? value.slice(1) : `git ${value}` };
}

/** What a shell is told to run: `-c`, or its input when it names no script. */
function findShellTexts(
  rest: readonly ShellWord[],
  command: Omit<ShellCommand, "inner">,
  fed: readonly ShellWord[],
): readonly ShellWord[] {
  for (const [index, { text }] of rest.entries()) {
    if (/^--(?:rcfile|init-file)$/.test(rest[index - 1]?.text ?? "")) continue;
    if (/^-[A-Za-z]*c[A-Za-z]*$/.test(text)) {
      const operand = rest.slice(index + 1).find((word) => !/^[-+]/.test(word.text));
      return operand === undefined ? [] : [operand];
    }
    if (!/^[-+]/.test(text) && !/^[-+][A-Za-z]*[oO]$/.test(rest[index - 1]?.text ?? "")) return [];
  }
  return [...command.redirections.filter(({ effect }) => effect === "text").map(({ target }) => target), ...fed];
}

/** What a command prints that a shell behind a pipe would run: `echo` and `printf`, and here-documents passed on. */
export function printedBy({ words, redirections }: Omit<ShellCommand, "inner">): readonly ShellWord[] {
  const name = baseName(words[0]?.text ?? "");
  const texts = redirections.filter(({ effect }) => effect === "text").map(({ target }) => target);
  return name === "echo" || name === "printf" ? [...texts, joinWords(words.slice(1))] : texts;
}

const STARTED =
  /(?:system|exec|execute|execSync|shell-command|call-process|start-process|spawn|spawnSync|popen|run|call|check_output|check_call|Popen|qx|shell_exec|passthru|getline)\s*(?:\(\s*)?(?:\[\s*)?["'`]([^"'`]*)["'`]((?:\s*,\s*["'][^"']*["'])*)/g;

/** Programs that code on a command line starts with text that can be read. Others are code that no rule reads. */
function findStarted(word: ShellWord): readonly ShellWord[] {
  return [...word.text.slice(0, 4_000).matchAll(STARTED)].map(([, program = "", more = ""]) => {
    const rest = [...more.matchAll(/["']([^"']*)["']/g)].map(([, argument = ""]) => argument);
    return { ...word, text: [program, ...rest].join(" ") };
  });
}

function baseName(text: string): string {
  return text.slice(text.lastIndexOf("/") + 1);
}
