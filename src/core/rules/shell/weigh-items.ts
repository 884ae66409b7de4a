import { matchesName } from "../glob-match.ts";
import { changesWhatRuns } from "../loader-variables.ts";
import { type ShellWord, UNKNOWN_TEXT } from "./command-line.ts";
import { fileIn } from "./file-uses.ts";
import { isRisk, type Program } from "./program.ts";
import { type Item, readOptions } from "./read-options.ts";
import { isPlainScript } from "./script-text.ts";

/**
 * The first thing beyond `covered` words that runs, writes or loads something else than the program itself would; null
 * if there is none. The words that a rule spells out were meant by whoever wrote it. What is unknown is meant too.
 */
export function findRisk(words: readonly ShellWord[], covered: number): string | null {
  const { program, items } = readOptions(words);
  if (program === null) return null;
  const found = items.find(
    (item) => (item.at >= covered && isRisky(item, program)) || (item.at > covered && item.marks.includes("?")),
  );
  return found === undefined ? null : shown(found);
}

/** Kinds that change nothing by themselves: what programs are run, and which files are read, is judged besides. */
const HARMLESS: ReadonlySet<unknown> = new Set([..."trqdgubpexjv", "flag", "sub"]);

/** Programs that say their version without looking at files of the workspace. */
const VERSIONED = /^(?:node|npm|python3?|ruby|perl|php|java|gcc|clang|make|cmake|docker|kubectl|gh|jq)$/;

/** The first thing that is not known to be harmless; null if the command only reads, or else writes files that are judged besides. */
export function findChange(words: readonly ShellWord[], mayWrite: boolean): string | null {
  const { program, items } = readOptions(words);
  const isVersion = words.length === 2 && words[1]?.text === "--version" && VERSIONED.test(words[0]?.text ?? "");
  if (isVersion) return null;
  if (program?.isReader !== true) return words[0]?.text ?? "";
  const found = items.find((item) => {
    const isHarmless =
      HARMLESS.has(item.kind) || item.kind === "s" || item.kind === "hidden" || item.kind instanceof RegExp;
    const writes = item.kind === "W" || item.marks.includes("~");
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
    case "!":
    case "L":
    case "y":
    case "U":
      return true;
    case "s":
      return !isPlainScript(program.language, word);
    case "f":
      return word.text.startsWith(UNKNOWN_TEXT) || fileIn(word).length > 0;
    case "a":
      return setsSteering(word.text);
    case "A":
      // Only shells that somebody types into read `ENV`.
      return (setsSteering(word.text) && !word.text.startsWith("ENV=")) || /=.*[^\w.,:+@-]/s.test(word.text);
    case "v":
      return changesWhatRuns(word.text) || !word.isStatic || !/^\w*$/.test(word.text);
    case "b":
      return word.text.includes("[") && word.text !== "[";
    case "u":
      return OTHER_SCHEME.test(word.text) || HIDDEN_SCHEME.test(word.text) || fileIn(word).length > 0;
    case "hidden":
      return program.hasRisk && !program.style.includes("d") && fitsRisk(word, program);
    default:
      return false;
  }
}

/** Schemes that read files, send what they are told, or log in. */
const OTHER_SCHEME =
  /^(?:file|gophers?|dict|scp|sftp|smbs?|ftps?|tftp|telnet|ldaps?|imaps?|pop3s?|smtps?|rtsp|mqtt|wss?):/i;

/** Curl reads lists and ranges itself, so that `{file}://` and `[f-f]ile://` are schemes too; `[::1]:3000` is none. */
const HIDDEN_SCHEME = /^(?!\[[\da-f:.]+\])[^/?#]*[{[][^/?#]*:(?!\d)/i;

/** A pattern of the shell means files: where options are whole words, one of these would have to be called like an option. */
function fitsRisk({ text, hasGlob }: ShellWord, { style, options }: Program): boolean {
  if (!hasGlob || text.includes(UNKNOWN_TEXT) || !style.includes("1") || style.includes("j")) return true;
  return [...options.values()].some((option) => isRisk(option) && matchesName(text, option.name));
}

/** What only the shell knows counts for a pattern that looks at more than how the text begins. */
function isOpen({ text, isStatic }: ShellWord, { source }: RegExp): boolean {
  return !isStatic && (text.startsWith(UNKNOWN_TEXT) || /\$|\.\*/.test(source));
}

function setsSteering(text: string): boolean {
  const [, name] = /^(\w+)(?:\[.*\])?\+?=/s.exec(text) ?? [];
  return name !== undefined && changesWhatRuns(name);
}
