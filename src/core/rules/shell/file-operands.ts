import { type ShellCommand, type ShellWord, UNKNOWN_TEXT } from "./command-line.ts";
import { baseName } from "./command-pattern.ts";
import { guessOutputs, outputsOf, targetFolder } from "./file-outputs.ts";
import { FILES, type Files } from "./file-programs.ts";

/** What a command does with one file that its words name. */
export interface FileUse {
  readonly effect: "read" | "write";
  readonly word: ShellWord;
  /** A guess that only deny and ask rules look at: `-f.env`, `@.env`, `if=.env`. */
  readonly guessed: boolean;
  /** The whole folder below it. */
  readonly recursive: boolean;
  /** Writing is all that the command is for, so that it needs a `Write` rule as a redirection does. */
  readonly needsRule: boolean;
  /** What it names must stay inside the workspace, as the target of a link. */
  readonly mustStayInside: boolean;
}

const GIT_READERS = new Set([
  "diff",
  "show",
  "blame",
  "grep",
  "log",
  "cat-file",
  "add",
  "archive",
  "hash-object",
  "stash",
]);

const GIT_WRITERS = new Set(["checkout", "restore", "mv", "rm"]);

/** The files that a command's words name, as far as they are known. */
export function filesOf(command: ShellCommand): readonly FileUse[] {
  const [first, ...rest] = command.words;
  if (first === undefined) return [];
  const name = baseName(first.text);
  if (name === "git") return gitFiles(rest);
  const files = FILES.get(name);
  if (files === undefined) return SPEAKERS.has(name) ? [] : guessUses(name, rest);
  const { operands, named, attached, folder } = layOut(rest, files);
  const isRecursive = (): boolean =>
    files.recursive === "always" ||
    (files.recursive !== undefined && rest.some(({ text }) => isClusterWith(text, files.recursive ?? "")));
  const recursive = isRecursive();
  const use = (word: ShellWord, effect: "read" | "write", more: Partial<FileUse> = {}): FileUse => ({
    effect,
    word,
    guessed: false,
    recursive: recursive && effect === "read",
    needsRule: files.needsRule === true,
    mustStayInside: false,
    ...more,
  });
  const inPlace = (name === "sed" || name === "perl") && rest.some(({ text }) => /^-[a-zA-Z]*i|^--in-place/.test(text));
  // What is moved can be read under its new name.
  const moved = name === "mv" ? operands : [];
  const guesses = [...attached, ...moved].map((word) => use(word, "read", { guessed: true, recursive: false }));
  const found = [
    ...operandUses(files, operands, folder, use),
    ...mergedUses(files, operands, folder, use, recursive && rest.some(isWithoutTarget)),
    ...named.map((word) => use(word, "read", { recursive: false, needsRule: false })),
  ];
  const whole = recursive && operands.length === 0 ? [use(HERE, "read")] : [];
  return [
    ...found,
    ...whole,
    ...guesses,
    ...(inPlace ? operands.map((word) => use(word, "write")) : []),
    ...outputsOf(name, rest, operands).map(({ word, guessed }) => use(word, "write", { recursive: false, guessed })),
  ];
}

/** Programs that take names of files for texts. */
const SPEAKERS = new Set(
  ": true false echo printf test [ [[ export declare typeset local readonly unset set alias cd pushd popd basename dirname kill type which command builtin expr seq sleep let".split(
    " ",
  ),
);

/** Of a program that nobody here knows, any word that looks like a file may be one that it reads. */
function guessUses(name: string, rest: readonly ShellWord[]): readonly FileUse[] {
  const { operands, named, attached } = layOut(rest, { operands: "read" });
  const reads = [...operands, ...named, ...attached].filter(({ text }) => /[./]/.test(text));
  const written = [...guessOutputs(rest), ...outputsOf(name, rest, operands).map(({ word }) => word)];
  return [...reads.map((word) => guess(word, "read")), ...written.map((word) => guess(word, "write"))];
}

function guess(word: ShellWord, effect: "read" | "write"): FileUse {
  return { effect, word, guessed: true, recursive: false, needsRule: false, mustStayInside: false };
}

const HERE: ShellWord = { text: ".", isStatic: true, hasGlob: false, hasTilde: false };

type Use = (word: ShellWord, effect: "read" | "write", more?: Partial<FileUse>) => FileUse;

function operandUses(
  files: Files,
  operands: readonly ShellWord[],
  folder: ShellWord | null,
  use: Use,
): readonly FileUse[] {
  if (files.operands === undefined) return [];
  switch (files.operands) {
    case "read":
      return operands.map((word) => use(word, "read"));
    case "write":
      return [...operands, ...(folder === null ? [] : [folder])].map((word) => use(word, "write"));
    case "copy":
    case "link": {
      const target = folder ?? operands.at(-1);
      const sources = folder === null ? operands.slice(0, -1) : operands;
      const link = files.operands === "link" ? { mustStayInside: true } : {};
      return [
        ...sources.map((word) => use(word, "read", link)),
        ...(target === undefined ? [] : [use(target, "write")]),
        // Into a folder, the copy keeps its name.
        ...(target === undefined || !mayBeFolder(target)
          ? []
          : sources.map((word) => use(below(target, word), "write", { guessed: true }))),
      ];
    }
  }
}

/** What `cp -r x/. y` and `cp -rT x y` put into a folder keeps names that only the disk knows. */
function mergedUses(
  { operands: kind }: Files,
  operands: readonly ShellWord[],
  folder: ShellWord | null,
  use: Use,
  merges: boolean,
): readonly FileUse[] {
  if (kind !== "copy") return [];
  const target = folder ?? operands.at(-1);
  const sources = folder === null ? operands.slice(0, -1) : operands;
  const isOpen =
    merges || sources.some(({ text, hasGlob }) => isContent(text) || (hasGlob && /(?:^|\/)\.[^/]*$/.test(text)));
  if (target === undefined || !isOpen) return [];
  return [use({ ...target, text: `${target.text}/${UNKNOWN_TEXT}`, isStatic: false }, "write")];
}

function isContent(text: string): boolean {
  return /(?:^|\/)\.{1,2}\/*$/.test(text);
}

function isWithoutTarget({ text }: ShellWord): boolean {
  return /^-[a-zA-Z]*T|^--no-t/.test(text);
}

function mayBeFolder({ text }: ShellWord): boolean {
  return /(?:^|\/)(?:\.{0,2}|~|[^./]+|\.[^./]+)\/?$/.test(text);
}

function below(folder: ShellWord, source: ShellWord): ShellWord {
  return {
    text: `${folder.text}/${baseName(source.text.replace(/\/+$/, ""))}`,
    isStatic: folder.isStatic && source.isStatic,
    hasGlob: folder.hasGlob || source.hasGlob,
    hasTilde: folder.hasTilde,
  };
}

interface Laid {
  readonly operands: readonly ShellWord[];
  /** Files that options name, which are read whatever operands are. */
  readonly named: readonly ShellWord[];
  /** Values that stand inside other words, and the values of options. */
  readonly attached: readonly ShellWord[];
  /** The value of `-t` or `--target-directory`. */
  readonly folder: ShellWord | null;
}

function layOut(rest: readonly ShellWord[], files: Files): Laid {
  const operands: ShellWord[] = [];
  const named: ShellWord[] = [];
  const attached: ShellWord[] = [];
  let folder: ShellWord | null = null;
  let ended = false;
  let skip = files.skip ?? 0;
  if (files.unless?.some((option) => rest.some(({ text }) => hasOption(text, option))) === true) skip = 0;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at];
    if (word === undefined) break;
    const { text } = word;
    if (!ended && text === "--") ended = true;
    else if (ended || text === "-" || !text.startsWith("-")) {
      if (skip > 0) skip -= 1;
      else operands.push(word);
      const [, value] = /^(?:\w+=|@|\w+=@)(.+)$/s.exec(text) ?? [];
      if (value !== undefined) attached.push({ ...word, text: value });
    } else {
      const [, long, value] = /^--([^=]+)(?:=(.*))?$/s.exec(text) ?? [];
      const next = rest[at + 1];
      if (value !== undefined && long !== undefined && isFileOption(long, value)) named.push({ ...word, text: value });
      else if (value !== undefined) attached.push({ ...word, text: value }, { ...word, text: value.replace(/^@/, "") });
      else if (long === undefined && text.length > 2 && files.files?.includes(text[1] ?? "") === true)
        named.push({ ...word, text: text.slice(2) });
      else if (long === undefined && text.length > 2) attached.push({ ...word, text: text.slice(2).replace(/^@/, "") });
      const takes = long === undefined && files.valued?.includes(text.at(-1) ?? "") === true;
      const isFile = files.files?.includes(text.at(-1) ?? "") === true && long === undefined;
      if (next !== undefined && takes && isFile) named.push(next);
      else if (next !== undefined && (takes || files.operands === undefined))
        attached.push({ ...next, text: next.text.replace(/^(?:\w+=)?@/, "") });
      const target = files.operands !== "read" && files.valued?.includes("t") === true;
      const given = target ? targetFolder(word, next) : null;
      folder = given ?? folder;
      if (takes || (given !== null && given === next)) at += 1;
    }
  }
  return { operands, named, attached, folder };
}

/** `--file=x`, and what looks like a file behind `--files0-from`, `--to-file` and their like. */
function isFileOption(long: string, value: string): boolean {
  if (long === "file" || long === "from-file") return true;
  return /file|from/.test(long) && /[./]|^~/.test(value);
}

function hasOption(text: string, option: string): boolean {
  if (option.startsWith("--")) return text === option || text.startsWith(`${option}=`);
  return isClusterWith(text, option.slice(1));
}

function isClusterWith(text: string, letters: string): boolean {
  if (text === "--recursive" || text === "--archive") return /[rRa]/.test(letters);
  return /^-[A-Za-z]/.test(text) && [...text.slice(1)].some((letter) => letters.includes(letter));
}

/** A path that starts anywhere else than here. */
const ELSEWHERE = /^(?:\/|~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/;

/**
 * Only operands behind the sub-command, and only for deny and ask rules: git reads its own files besides. What lies
 * elsewhere is none of these, and `git diff` shows it also without being told that there is no index.
 */
function gitFiles(rest: readonly ShellWord[]): readonly FileUse[] {
  const writes = rest.findIndex(({ text }) => GIT_WRITERS.has(text));
  const written = writes === -1 ? [] : rest.slice(writes + 1).filter(({ text }) => !text.startsWith("-"));
  // A file may be called as a sub-command is, so one kind does not rule the other out.
  return [...written.map((word) => guess(word, "write")), ...gitReads(rest)];
}

function gitReads(rest: readonly ShellWord[]): readonly FileUse[] {
  const at = rest.findIndex(({ text }) => GIT_READERS.has(text));
  if (at === -1) return [];
  const outside = rest.some(({ text }) => text === "--no-index");
  return rest
    .slice(at + 1)
    .filter(({ text }) => !text.startsWith("-"))
    .map((word) => ({ ...word, text: word.text.replace(/^[^/]*:(?=.)/, "") }))
    .map((word) => ({
      effect: "read",
      word,
      guessed: !outside && !ELSEWHERE.test(word.text),
      recursive: false,
      needsRule: false,
      mustStayInside: false,
    }));
}
