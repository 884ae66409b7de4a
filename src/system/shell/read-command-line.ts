import {
  type CommandLine,
  type ShellCommand,
  type ShellProblem,
  type ShellRedirection,
  type ShellWord,
  UNKNOWN_TEXT,
} from "../../core/rules/shell/command-line.ts";
import type { Findings, ScannedCommand, ScannedRedirection } from "./cursor.ts";
import { loadGrammar, newReadingTime, withTree } from "./grammar.ts";
import { guessPrinted } from "./guessed-texts.ts";
import { printedBy, unlike, withInner } from "./inner-commands.ts";
import { scanLine, signatureOf } from "./scan-line.ts";
import { readTree, type TreeReading } from "./tree-commands.ts";

/** Beyond these a line is never allowed; deny rules are still matched against every part. */
const MAX_LENGTH = 10_000;
const MAX_COMMANDS = 500;
const MAX_DEPTH = 24;
const MAX_DOCUMENTS = 50;
/** The grammar recovers slowly from errors; beyond this the scanner alone reads a text that is not bash. */
const MAX_ODD_LENGTH = 200;
/** Beyond this it is unreadable, and no shell accepts it as one argument. */
const MAX_READ_LENGTH = 262_144;
/** Characters of a line and of all nested texts that are read as lines: `sh -c "sh -c …"`, or what may be one. */
const MAX_READ = 150_000;
/** The grammar's cost of a character, in characters of the scanner; and the minimum cost of a text. */
const GRAMMAR_COST = 8;
const TEXT_COST = 400;
/** How deep guessed command lines may be nested. */
const MAX_GUESS_DEPTH = 6;
/** Texts that the commands of one line print. */
const MAX_PRINTED = 200;
/** Commands into whose words such texts are put. */
const MAX_PUT = 64;
/** Commands that other commands run, and the words of those that may run further ones. */
const MAX_INNER = 10_000;

/** Reads command lines once the grammar is loaded. */
export interface ShellReader {
  read(text: string): CommandLine;
}

export async function createShellReader(): Promise<ShellReader> {
  const parser = await loadGrammar();
  return {
    read: (text) => {
      const time = newReadingTime();
      return readSafely(text, (line) => withTree(parser, line, time, (found) => readTree(found, line)));
    },
  };
}

/** A text that breaks the reader cannot be judged. */
function readSafely(text: string, tree: ReadTree): CommandLine {
  try {
    return readLine(text, tree);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const problems = [{ kind: "unreadable", text: "nested deeper than can be read" }] as const;
    return { text, commands: [], problems, repeats: false, loopVariables: [] };
  }
}

/** A command as read, before its inner commands; `isAgain`: the one before it, with other values. */
type Read = Omit<ShellCommand, "inner"> & { readonly isAgain?: boolean };
type ReadInner = (word: ShellWord) => readonly ShellCommand[];
const PRINTERS = /(?:^|\/)(?:echo|printf)$|^set$/;

type ReadTree = (line: string) => TreeReading | null;

/** What is known of one line while it is read. */
interface Reading {
  readonly tree: ReadTree;
  readonly problems: Problems;
  readonly loopVariables: Set<string>;
  /** Texts that a word of the line may evaluate to. */
  readonly hidden: Set<string>;
  readonly budget: { left: number };
  /** Texts that were read already. */
  readonly known: Map<string, { readonly commands: readonly ShellCommand[]; readonly cost: number }>;
  /** Characters that may still be read. */
  left: number;
  /** Commands into whose words printed texts may still be put. */
  put: number;
  repeats: boolean;
  evaluates: boolean;
}

/**
 * Two readings that share no code: a grammar that knows what bash is, and a scanner that knows how bash reads words. If
 * they differ the line is not allowed, and both readings are matched against deny rules.
 */
function readLine(text: string, tree: ReadTree): CommandLine {
  const reading: Reading = {
    tree,
    problems: new Map(),
    loopVariables: new Set(),
    hidden: new Set(),
    budget: { left: MAX_INNER },
    known: new Map(),
    left: MAX_READ + text.length,
    put: MAX_PUT,
    repeats: false,
    evaluates: false,
  };
  const { problems, hidden, loopVariables } = reading;
  if (text.length > MAX_READ_LENGTH) problems.set("unreadable", `longer than ${MAX_READ_LENGTH} characters`);
  const commands = [...readText(reading, text.slice(0, MAX_READ_LENGTH), 0)];
  if (reading.evaluates && hidden.size > 0) {
    commands.push(toEvaluated([...hidden].flatMap((text) => guessText(reading, text, 0))));
  }
  if (reading.budget.left <= 0) problems.set("unreadable", "commands that run commands, more than can be followed");
  return {
    text,
    commands,
    problems: [...problems].map(([kind, reason]) => ({ kind, text: reason })),
    repeats: reading.repeats,
    loopVariables: [...loopVariables],
  };
}

function readText(reading: Reading, line: string, depth: number): readonly ShellCommand[] {
  const found = once(reading, line, `read ${depth}`, () => readNew(reading, line, depth));
  if (found === null) reading.problems.set("unreadable", "more command lines inside each other than can be read");
  return found ?? [];
}

function readNew(reading: Reading, line: string, depth: number): readonly ShellCommand[] {
  const { problems } = reading;
  const findings = scanBoth(line, reading.tree, problems);
  reading.repeats ||= findings.repeats;
  reading.evaluates ||= findings.evaluates;
  for (const name of findings.loopVariables) reading.loopVariables.add(name);
  for (const text of findings.hidden) reading.hidden.add(text.replace(/['"\\]/g, ""));
  const readInner = (word: ShellWord): readonly ShellCommand[] => {
    if (!word.isStatic) setOnce(problems, "expansion", "it runs text that only the shell knows");
    if (depth >= MAX_DEPTH) problems.set("unreadable", `command lines nested more than ${MAX_DEPTH} deep`);
    return depth >= MAX_DEPTH ? [] : readText(reading, word.text, depth + 1);
  };
  // An unreadable line is denied as a whole: its first commands are enough to name the rule.
  const count = problems.has("unreadable") ? MAX_COMMANDS : MAX_READ_LENGTH;
  return withInners(reading, findings.commands.slice(0, count).map(toCommand), readInner, depth);
}

/** Guessed command lines are read for deny rules only, so their problems are not problems of the line. */
function guessText(reading: Reading, given: string, depth: number): readonly ShellCommand[] {
  const text = given.slice(0, MAX_LENGTH);
  const found =
    depth < MAX_GUESS_DEPTH ? once(reading, text, `guess ${depth}`, () => guessNew(reading, text, depth + 1)) : null;
  if (found === null) setOnce(reading.problems, "limit", "more texts that may be commands than can be looked into");
  return found ?? [];
}

function guessNew(reading: Reading, text: string, depth: number): readonly ShellCommand[] {
  const odd: Problems = new Map();
  const { commands } = scanBoth(text, reading.tree, odd);
  if (odd.has("unreadable"))
    setOnce(reading.problems, "limit", "a text that may be more commands than can be looked into");
  return withInners(reading, commands.map(toCommand), null, depth);
}

/** Commands with those that they run. Where `read` is null, texts that they run are guessed at too. */
function withInners(
  reading: Reading,
  commands: readonly Read[],
  read: ReadInner | null,
  depth: number,
): readonly ShellCommand[] {
  const { problems, budget } = reading;
  let known: readonly ShellWord[] | null = null;
  const around = (): readonly ShellWord[] => {
    if (reading.left <= 0) return [];
    if (known !== null) return known;
    const printed = commands.flatMap(guessesOf);
    if (printed.length > MAX_PRINTED) setOnce(problems, "limit", "more printed texts than can be looked into");
    known = unlike(printed.slice(0, MAX_PRINTED));
    return known;
  };
  const inPlace = (): readonly ShellWord[] => {
    const texts = around();
    if (texts.length === 0 || reading.put-- > 0) return texts;
    setOnce(problems, "limit", "more commands than can be looked into with texts that they may be given");
    return [];
  };
  const guess = (word: ShellWord): readonly ShellCommand[] => guessText(reading, word.text, depth);
  return commands.map((command, at) => {
    const fed = command.piped ? feeding(commands, at).flatMap(printedBy) : [];
    return withInner(command, { read: read ?? guess, guess, budget, fed, around, inPlace });
  });
}

/** Reads each text once, and counts it each time it occurs; null if that is too much. */
function once(
  reading: Reading,
  text: string,
  how: string,
  look: () => readonly ShellCommand[],
): readonly ShellCommand[] | null {
  const key = `${how} ${text}`;
  const before = reading.known.get(key);
  const start = reading.left;
  reading.left -= before?.cost ?? TEXT_COST + text.length * (text.length > MAX_LENGTH ? 1 : GRAMMAR_COST);
  if (reading.left <= 0) return null;
  const commands = before?.commands ?? look();
  reading.known.set(key, { commands, cost: start - reading.left });
  return commands;
}

/** The command before the pipe, with each of its values. */
function feeding(commands: readonly Read[], at: number): readonly Read[] {
  let end = at;
  while (commands[end]?.isAgain === true) end -= 1;
  let start = end - 1;
  while (commands[start]?.isAgain === true) start -= 1;
  return commands.slice(Math.max(0, start), Math.max(0, end));
}

/** What the shell itself may run while it evaluates words of the line. */
function toEvaluated(commands: readonly ShellCommand[]): ShellCommand {
  const inner = [{ transparent: false, guessed: true, at: null, commands }];
  return { words: [], assignments: [], redirections: [], piped: false, inner };
}

/** What a command may print, pass on, and set. */
function guessesOf({ words, assignments, redirections }: Omit<ShellCommand, "inner">): readonly ShellWord[] {
  const documents = redirections.filter(({ effect }) => effect === "text").map(({ target }) => target);
  const texts = [
    ...documents,
    ...assignments.map(({ value }) => value).filter(({ text }) => !text.includes(UNKNOWN_TEXT)),
  ];
  return PRINTERS.test(words[0]?.text ?? "") ? [...texts, ...guessPrinted(words)] : texts;
}

type Problems = Map<ShellProblem["kind"], string>;

function setOnce(problems: Problems, kind: ShellProblem["kind"], text: string): void {
  if (!problems.has(kind)) problems.set(kind, text);
}

/** The scanner's findings, with the commands that only the grammar sees. */
function scanBoth(line: string, tree: ReadTree, problems: Problems): Findings {
  checkCharacters(line, problems);
  const text = line.replaceAll("\0", " ");
  const findings = scanLine(text);
  for (const [kind, reason] of findings.problems) setOnce(problems, kind, reason);
  if (joinsInsideToken(text)) {
    setOnce(problems, "syntax", "lines are joined inside of a word or an operator");
    for (const command of scanLine(text.replaceAll("\\\n", "")).commands) findings.commands.push(command);
  }
  if (line.length > MAX_LENGTH) {
    problems.set("limit", `longer than ${MAX_LENGTH} characters`);
    return findings;
  }
  if (findings.commands.length > MAX_COMMANDS) {
    problems.set("limit", `more than ${MAX_COMMANDS} commands`);
    return findings;
  }
  const isOdd = [...findings.problems.keys()].some((kind) => kind !== "expansion") || problems.has("control");
  if (isOdd && text.length > MAX_ODD_LENGTH) return findings;
  if (nestingOf(text) > MAX_DEPTH) problems.set("limit", `nested more than ${MAX_DEPTH} deep`);
  else if (text.split("<<").length > MAX_DOCUMENTS) problems.set("limit", `more than ${MAX_DOCUMENTS} here-documents`);
  else compare(text, tree(text), findings, problems);
  return findings;
}

function compare(text: string, reading: TreeReading | null, findings: Findings, problems: Problems): void {
  if (reading === null) {
    setOnce(problems, "syntax", "it takes too long to read");
    return;
  }
  if (reading.problem !== null) setOnce(problems, "syntax", reading.problem);
  const scanned = new Set(findings.commands.map(signatureOf).filter((signature) => signature !== null));
  const unseen = [...reading.commands].filter(([signature]) => !scanned.has(signature));
  if (unseen.length === 0 && scanned.size === reading.commands.size) return;
  setOnce(problems, "syntax", "two readings of it find different commands");
  for (const [, { start, end }] of unseen)
    for (const command of scanLine(text.slice(start, end)).commands) findings.commands.push(command);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Cf}|[\u2028\u2029]|\p{Cs}/u;

function checkCharacters(line: string, problems: Problems): void {
  const [found] = CONTROL.exec(line) ?? [];
  if (found === undefined) return;
  const code = found.codePointAt(0)?.toString(16).padStart(4, "0");
  setOnce(problems, "control", `it holds the control character U+${code?.toUpperCase()}`);
}

/** A `\` before a line end that follows no blank joins the text around it; bash does so even inside operators. */
function joinsInsideToken(text: string): boolean {
  return /(?:^|[^\\ \t\n])(?:\\\\)*\\\n/.test(text);
}

/** The maximum depth of substitutions and groups. Quoted brackets count too, which errs on the safe side. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === "(" || character === "{") deepest = Math.max(deepest, ++depth);
    else if (character === ")" || character === "}") depth = Math.max(0, depth - 1);
  }
  return deepest;
}

function toCommand({ words, assignments, redirections, piped, captured, isAgain }: ScannedCommand): Read {
  return {
    ...(isAgain === true ? { isAgain } : {}),
    ...(captured === true ? { captured } : {}),
    words,
    assignments,
    redirections: redirections.map(toRedirection),
    piped,
  };
}

const READS = new Set(["<"]);
const TEXTS = new Set(["<<", "<<-", "<<<"]);

function toRedirection({ operator, target, isProcess }: ScannedRedirection): ShellRedirection {
  const isCopy =
    isProcess || ((operator === ">&" || operator === "<&") && target.isStatic && /^(?:\d+-?|-)$/.test(target.text));
  const effect = isCopy ? "descriptor" : TEXTS.has(operator) ? "text" : READS.has(operator) ? "read" : "write";
  return { effect, operator, target };
}
