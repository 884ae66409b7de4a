import { type ShellCommand, type ShellWord, UNKNOWN_TEXT } from "./command-line.ts";
import { baseName } from "./command-pattern.ts";
import { namesIn, quotedIn, wordsIn } from "./names-in.ts";
import { programOf } from "./program.ts";
import { type Item, readCommandOptions } from "./read-options.ts";
import { isPlainScript } from "./script-text.ts";
import { isSql } from "./sql-text.ts";

/** What a command does with one file named in its words. */
export interface FileUse {
  readonly effect: "read" | "write";
  readonly word: ShellWord;
  /** A guess that only deny and ask rules consider: `-f.env`, `@.env`, `if=.env`. */
  readonly guessed: boolean;
  /** The whole folder below it. */
  readonly recursive: boolean;
  /** It follows links while walking the folder. */
  readonly follows: boolean;
  /** Unexpected for this command, so it needs a `Read` or `Write` rule, like a redirection. */
  readonly needsRule: boolean;
  /** The file must stay inside the workspace, like the target of a link. */
  readonly mustStayInside: boolean;
}

const HERE: ShellWord = { text: ".", isStatic: true, hasGlob: false, hasTilde: false };
/** Files below a folder whose names only the program knows. */
const SOMEWHERE: ShellWord = { ...HERE, text: UNKNOWN_TEXT, isStatic: false };

/** The files that a command's words name, as far as they are known. */
export function usedFiles(command: ShellCommand, spelled = 0): readonly FileUse[] {
  const { words, assignments } = command;
  const { program, items } = readCommandOptions(words);
  const given = words.length === 0 ? [] : guessUses(assignments.map(({ value }) => value));
  if (program === null) return [...given, ...guessUses(words.slice(1))];
  const change = items.find(({ marks }) => marks.includes("~"))?.at ?? null;
  const isRecursive =
    items.some(({ marks }) => marks.includes("@")) || program.slots.some(({ marks }) => marks.includes("@"));
  const follows = isRecursive && items.some(({ marks }) => marks.includes("&"));
  const unpacks = items.some(({ marks, at }) => marks.includes("@") && marks.includes("~") && at >= spelled);
  // Archives stay within the folder they are unpacked into, and protected files of the work folder are not below it.
  const isBelow = items.some(
    ({ kind, option, word }) => kind === "file-written" && option !== null && BELOW.test(word.text),
  );
  const isSpeaker = program.isReader || /[dz]/.test(program.style);
  const { language } = program;
  const texts = program.readsInput ? command.redirections.filter(({ effect }) => effect === "text") : [];
  const uses = [
    ...given,
    ...texts.flatMap(({ target }) => scriptUses(language, target)),
    ...items.flatMap((item) => usesOf(item, items, { isSpeaker, language, change, isRecursive, follows, spelled })),
    // What they run is judged separately; what they do with the other words is unknown.
    ...items.flatMap(({ kind, at }) =>
      kind === "command-line" || kind === "maybe-program" ? guessUses(words.slice(at)) : [],
    ),
    ...(worksHere(words, items) ? [use(HERE, "read", { mustStayInside: true })] : []),
    ...(unpacks && !isBelow ? [use(SOMEWHERE, "write", { recursive: true })] : []),
  ];
  if (items.some(isOperandRead) || !program.slots.some(({ kind }) => kind === "file-read")) return uses;
  if (change !== null) return [...uses, use(HERE, "write", { needsRule: change >= spelled })];
  const readsHere = isRecursive || program.slots.some(({ marks }) => marks.includes("."));
  return readsHere ? [...uses, use(HERE, "read", { recursive: isRecursive, follows })] : uses;
}

/** A separate folder: neither the working folder nor one above it. */
const BELOW = /^(?:\.\/|\/tmp\/)?[\w-][\w.-]*(?:\/[\w-][\w.-]*)*\/?$/;

/** A program with an option for its folder works in the current one by default: `cd x; make` is `make -C x`. */
function worksHere([name]: readonly ShellWord[], items: readonly Item[]): boolean {
  const options = programOf(baseName(name?.text ?? ""))?.options.values() ?? [];
  return !items.some(({ kind }) => kind === "folder") && [...options].some(({ values }) => values.includes("folder"));
}

function isOperandRead({ kind, option }: Item): boolean {
  return kind === "file-read" && option === null;
}

function use(word: ShellWord, effect: "read" | "write", more: Partial<FileUse> = {}): FileUse {
  const plain = { guessed: false, recursive: false, follows: false, needsRule: false, mustStayInside: false };
  return { effect, word, ...plain, ...more };
}

interface Manner {
  /** It takes file names as plain text. */
  readonly isSpeaker: boolean;
  readonly language: string | null;
  /** Index of the option that makes it change its operands. */
  readonly change: number | null;
  readonly isRecursive: boolean;
  readonly follows: boolean;
  readonly spelled: number;
}

function usesOf(
  item: Item,
  items: readonly Item[],
  { isSpeaker, language, change, isRecursive, follows, spelled }: Manner,
): readonly FileUse[] {
  const { kind, word, option, at } = item;
  const isOperand = option === null;
  if (kind instanceof RegExp) return guessUses([word]);
  switch (kind) {
    case "file-read":
    case "code-run": {
      const read = use(word, "read", { recursive: isRecursive && isOperand, follows: follows && isOperand });
      const more = isSpeaker ? behindAt(word) : guessUses([word]);
      if (change === null || !isOperand) return [read, ...more];
      return [use(word, "write", { needsRule: change >= spelled }), { ...read, guessed: true }];
    }
    case "file-read-with-rule":
      return [use(word, "read", { needsRule: at >= spelled, recursive: option?.includes("from") === true })];
    case "folder":
      return [use(word, "read", { mustStayInside: true })];
    case "archive":
      return [use(word, items.some(({ option: one }) => MAKES.test(one ?? "")) ? "write" : "read")];
    case "file-written":
      return [use(word, "write")];
    case "file-written-with-rule":
      return [use(word, "write", { needsRule: at >= spelled })];
    case "file-copied":
    case "file-sent":
      return [
        use(word, "read", { recursive: isRecursive, mustStayInside: kind === "file-sent" }),
        ...landing(item, items, isRecursive),
      ];
    case "file-moved":
      // A moved file can be read under its new name.
      return [
        ...[use(word, "write"), use(word, "read", { guessed: true }), ...landing(item, items, false)],
        ...(/\s/.test(word.text) ? scriptUses(language, word) : []),
      ];
    case "link-target":
      return [use(word, "read", { mustStayInside: true }), ...landing(item, items, false)];
    case "repository-file":
      return [gitRead(word, items)];
    case "repository-file-changed":
      return [use(word, "write", { guessed: true })];
    case "code-loaded":
    case "file-of-addresses":
      return [use(word, "read", { guessed: true })];
    case "text-or-file-sent":
      return fileIn(word).flatMap((file) => guessUses([file], /(?:)/));
    case "address":
      return [...fileIn(word).flatMap((file) => guessUses([file], /(?:)/)), ...addressUses(word)];
    case "script":
      return scriptUses(language, word);
    case "environment-value":
    case "program-value":
    case "maybe-command":
      return guessUses([word]);
    case "text":
      // `-m "Rotate server.key"` is prose.
      return isSpeaker || (!isOperand && /\s/.test(word.text)) ? [] : guessUses([word]);
    case "uncovered":
    case "unknown":
    case "other":
      if (change !== null && isOperand) return [use(word, "write", { needsRule: change >= spelled })];
      return guessUses(isOperand ? [word] : [{ ...word, text: `${option}=${word.text}` }]);
    default:
      return [];
  }
}

/** Options with which `tar` creates or changes an archive. */
const MAKES = /^(?:-[cruA]|--(?:create|append|update|concatenate|catenate))$/;

/** `@file`, `key=@file`, `key=<file`: a file whose content is sent. */
export function fileIn(word: ShellWord): readonly ShellWord[] {
  const [, file] = /^(?:[^=@]*[=@])?[@<]([^@].*)$/s.exec(word.text) ?? [];
  return file === undefined ? [] : [{ ...word, text: file }];
}

/** A copy in a folder keeps its name. What `cp -r x/. y` and `cp -rT x y` create has names that only the disk knows. */
function landing(item: Item, items: readonly Item[], isRecursive: boolean): readonly FileUse[] {
  const { word } = item;
  const target = items.find(
    ({ kind, marks, option }) => (kind === "file-written" && option === null) || marks.includes("$"),
  )?.word;
  if (target === undefined) return [];
  const merges = isRecursive && items.some(({ option }) => option === "-T" || option === "--no-target-directory");
  const isContent = /(?:^|\/)\.{1,2}\/*$/.test(word.text) || (word.hasGlob && /(?:^|\/)\.[^/]*$/.test(word.text));
  if (item.kind !== "file-moved" && item.kind !== "link-target" && (merges || isContent))
    return [use({ ...target, text: `${target.text}/${UNKNOWN_TEXT}`, isStatic: false }, "write")];
  return mayBeFolder(target) ? [use(below(target, word), "write", { guessed: true })] : [];
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

/** A path that starts anywhere but here. */
const ELSEWHERE = /^(?:\/|~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/;

/**
 * Git also reads its own files, so only deny and ask rules apply. A path elsewhere is none of these, and `git diff`
 * shows it even without `--no-index`.
 */
function gitRead(word: ShellWord, items: readonly Item[]): FileUse {
  const isRange = items.some((item) => item.word === word && item.option === "-L");
  const text = isRange
    ? word.text.slice(word.text.lastIndexOf(":") + 1)
    : word.text.replace(/^:(?:\([^)]*\)|[!^/]+)/, "").replace(/^[^/]*:(?=.)/, "");
  // Git expands patterns itself.
  const file = { ...word, text, hasGlob: word.hasGlob || /[*?[]/.test(text) };
  const isAnywhere = items.some(({ option }) => option === "--no-index") || ELSEWHERE.test(file.text);
  return use(file, "read", { guessed: !isAnywhere });
}

/** Binary utilities read words from the file after `@`, and print the ones they do not know. */
function behindAt(word: ShellWord): readonly FileUse[] {
  return word.text.startsWith("@") ? [use({ ...word, text: word.text.slice(1) }, "read")] : [];
}

/** The scheme of an address and a host, neither hidden by a pattern of the program. */
const PLAIN_ADDRESS = /^(?:https?:\/\/|[\w.\ufffc-]+(?::[\d\ufffc]+)?(?:[/?#]|$))/i;

/** What is no plain address may be a file's, and if brackets hide its scheme, which file is unknown. */
function addressUses(word: ShellWord): readonly FileUse[] {
  if (PLAIN_ADDRESS.test(word.text)) return [];
  const hidden =
    /^[^/?#]*[{[]|^file:.*[{[]/is.test(word.text) && !/^\[[\da-f:.]+\](?::\d*)?(?:[/?#]|$)/i.test(word.text);
  return [...guessUses([word]), ...(hidden ? [use(SOMEWHERE, "read")] : [])];
}

/** Languages that name files in quotes, or whose fields look like files. */
const QUOTING: ReadonlySet<string | null> = new Set(["code", "jq", "awk", null]);

/** The files that a script names; a script that cannot open files names none. */
function scriptUses(language: string | null, word: ShellWord): readonly FileUse[] {
  if (!isSql(language) && isPlainScript(language, word)) return [];
  const texts = [...quotedIn(word.text), ...(QUOTING.has(language) ? [] : wordsIn(word.text))].flatMap((text) =>
    // `r.env` is sed's command `r` with its file.
    language === "sed" ? [text, text.replace(/^.*?[rRwW]/s, "")] : [text],
  );
  return guessUses([...new Set(texts)].map((text) => ({ ...word, text })));
}

const OUTPUT = /^(?:--?(?:o|out\w*(?:-\w+)*)|of)$/;
const LOOKS_LIKE_FILE = /[./]/;

/**
 * For unknown programs, any word that looks like a file may be read, and so may text after `=`, `@`, `:` and `,` in it;
 * after `-o` and similar options it may be written.
 */
function guessUses(words: readonly ShellWord[], file: RegExp = LOOKS_LIKE_FILE): readonly FileUse[] {
  return words.flatMap((word, at) => {
    const { text } = word;
    const [, name, value] = /^(-{1,2}[^=]+|of)=(.*)$/s.exec(text) ?? /^(-[a-zA-Z])([^-].*)$/s.exec(text) ?? [];
    const isOutput = OUTPUT.test(name ?? words[at - 1]?.text ?? "");
    const whole = value ?? text;
    // Prose has blanks; a list of names has none.
    const names = /\s/.test(whole) ? [whole] : namesIn(whole);
    if (names === null) return [use(SOMEWHERE, "read")];
    return names
      .filter((one) => isOutput || file.test(one) || whole.includes(`@${one}`))
      .flatMap((one) => {
        const guessed = { ...word, text: one };
        return [
          use(guessed, "read", { guessed: true }),
          ...(isOutput ? [use(guessed, "write", { guessed: true })] : []),
        ];
      });
  });
}
