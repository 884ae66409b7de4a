import { matchesName } from "../glob-match.ts";
import { changesWhatRuns, steersShell } from "../loader-variables.ts";
import type { PathWorld } from "../paths.ts";
import { type ShellWord, UNKNOWN_TEXT } from "./command-line.ts";
import { fileIn } from "./file-uses.ts";
import { isRisk, type Program } from "./program.ts";
import { type Item, isBareUnknown, readCommandOptions } from "./read-options.ts";
import { isPlainScript } from "./script-text.ts";
import { findOdd, seemsMore } from "./seen-from-outside.ts";

/**
 * The first item beyond `covered` words that runs, writes or loads something other than the program itself would; null
 * if there is none. Words that a rule spells out were meant by its author.
 */
export function findRisk(words: readonly ShellWord[], covered: number, world: PathWorld): string | null {
  const { program, items } = readCommandOptions(words);
  // Inside a sandbox a command may do whatever it is told.
  const isFree = world.confinement !== undefined;
  if (program === null) return isFree ? null : findOdd(words, covered, world);
  const found = items.find(
    (item) =>
      (item.at >= covered && (isRisky(item, program) || (!isFree && isUnknownRisk(item, program, items, world)))) ||
      (item.marks.includes("?") && items.some(({ kind, at }) => kind === "sub" && at >= covered && at < item.at)),
  );
  return found === undefined ? null : shown(found);
}

/** Unknown options of a program whose options are known, and anything else that may do more than it seems. */
function isUnknownRisk({ kind, option, word, at }: Item, program: Program, items: readonly Item[], world: PathWorld) {
  const isOpen = program.style.includes("o");
  if (kind === "unknown" && option !== null)
    return !isOpen || (word.text !== option && seemsMore(word, "value", world));
  // The words after a script are the script's own.
  const isKnown = !isOpen && (kind !== "unknown" || program.slots.length > 0);
  if (option !== null || isKnown || kind === "hidden") return false;
  const isValue = items.some((one) => isBareUnknown(one) && one.at === at - 1);
  return kind !== "flag" && kind !== "sub" && kind !== "other" && seemsMore(word, isValue ? "value" : "operand", world);
}

/** Kinds that change nothing themselves: the programs run and files read are judged separately. */
const HARMLESS: ReadonlySet<Item["kind"]> = new Set<Item["kind"]>([
  ...(["text", "file-read", "file-read-with-rule", "folder", "repository-file", "address"] as const),
  ...(["text-with-code", "program", "program-up-to-mark", "shell-line", "command-line", "variable-name"] as const),
  ...(["flag", "sub"] as const),
]);

/** Programs that print their version without reading files of the workspace. */
const VERSIONED = /^(?:node|npm|python3?|ruby|perl|php|java|gcc|clang|make|cmake|docker|kubectl|gh|jq)$/;

/** The first item not known to be harmless; null if it only reads, or writes files that are judged separately. */
export function findChange(words: readonly ShellWord[], mayWrite: boolean): string | null {
  const { program, items } = readCommandOptions(words);
  const isVersion = words.length === 2 && words[1]?.text === "--version" && VERSIONED.test(words[0]?.text ?? "");
  if (isVersion) return null;
  if (program?.isReader !== true) return words[0]?.text ?? "";
  const found = items.find((item) => {
    const isHarmless =
      HARMLESS.has(item.kind) || item.kind === "script" || item.kind === "hidden" || item.kind instanceof RegExp;
    const writes = item.kind === "file-written-with-rule" || item.marks.includes("~");
    return (writes ? !mayWrite : !isHarmless) || isRisky(item, program);
  });
  return found === undefined ? null : shown(found);
}

function shown({ option, word, kind }: Item): string {
  const isFlag = option === null || kind === "flag" || kind === "unknown";
  return (isFlag ? word.text : option).replaceAll(UNKNOWN_TEXT, "…");
}

function isRisky({ kind, word, marks }: Item, program: Program): boolean {
  if (marks.includes("!")) return true;
  if (kind instanceof RegExp) return isOpen(word, kind) || !kind.test(word.text);
  switch (kind) {
    case "uncovered":
    case "code-loaded":
    case "maybe-command":
    case "file-of-addresses":
      return true;
    case "script":
      return !isPlainScript(program.language, word);
    case "text-or-file-sent":
      return word.text.startsWith(UNKNOWN_TEXT) || fileIn(word).length > 0;
    case "environment-value":
      return isSetting(word, changesWhatRuns);
    case "shell-value":
      return isSetting(word, steersShell);
    case "program-value":
      // Only interactive shells read `ENV`.
      return (isSetting(word, steersShell) && !word.text.startsWith("ENV=")) || !isPlainSetting(word.text);
    case "variable-name":
      return steersShell(word.text) || !word.isStatic || !/^\w*$/.test(word.text);
    case "folder":
      return FETCHED.test(word.text);
    case "text-with-code":
      return word.text.includes("[") && word.text !== "[";
    case "address":
      return OTHER_SCHEME.test(word.text) || HIDDEN_SCHEME.test(word.text) || fileIn(word).length > 0;
    case "hidden":
      return program.hasRisk && !program.style.includes("d") && fitsRisk(word, program);
    default:
      return false;
  }
}

/** Sources that would be fetched first and then worked in. */
const FETCHED = /^(?:(?:https?|git|ssh|file)(?:\+\w+)?:\/\/|git@|github\.com\/)/i;

/** Schemes that read files, send data or log in. */
const OTHER_SCHEME =
  /^(?:file|gophers?|dict|scp|sftp|smbs?|ftps?|tftp|telnet|ldaps?|imaps?|pop3s?|smtps?|rtsp|mqtt|wss?):/i;

/** Curl expands lists and ranges itself, so `{file}://` and `[f-f]ile://` are schemes too; `[::1]:3000` is none. */
const HIDDEN_SCHEME = /^(?!\[[\da-f:.]+\])[^/?#]*[{[][^/?#]*:(?!\d)/i;

/** A shell pattern matches files: where options are whole words, such a file would have to be named like an option. */
function fitsRisk({ text, hasGlob }: ShellWord, { style, options }: Program): boolean {
  if (!hasGlob || text.includes(UNKNOWN_TEXT) || !style.includes("1") || style.includes("j")) return true;
  return [...options.values()].some((option) => isRisk(option) && matchesName(text, option.name));
}

/** Unknown text counts for a pattern that looks at more than the beginning of the text. */
function isOpen({ text, isStatic }: ShellWord, { source }: RegExp): boolean {
  return !isStatic && (text.startsWith(UNKNOWN_TEXT) || /\$|\.\*/.test(source));
}

/** `NAME=value`, or the name alone, which exports the shell's variable to programs. */
function isSetting({ text, isStatic }: ShellWord, counts: typeof changesWhatRuns): boolean {
  const [, name, sign, value = ""] = /^(\w+)(?:\[.*\])?(?:(\+?=)(.*))?$/s.exec(text) ?? [];
  return name !== undefined && counts(name, isStatic && sign === "=" ? value : undefined);
}

/** A word without anything that a program would take for an option, a file or code; targets have no `=`. */
function isPlainSetting(text: string): boolean {
  const at = text.indexOf("=");
  // Selects some of the project's own tests or packages.
  if (/^(?:TESTS?|SPECS?|PKGS?)=(?![/-])(?!.*\.\.)[\w.,:/-]*$/.test(text)) return true;
  return at === -1 || (/^\w+$/.test(text.slice(0, at)) && /^(?!-)[\w.,:+@-]*$/.test(text.slice(at + 1)));
}
