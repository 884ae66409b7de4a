import { changesWhatRuns, steersShell } from "../../core/rules/loader-variables.ts";
import type { ShellCommand, ShellWord } from "../../core/rules/shell/command-line.ts";
import { quoteWord } from "../../core/rules/shell/quote-word.ts";
import { type Item, isBareUnknown, type ReadOptions } from "../../core/rules/shell/read-options.ts";
import { startedBy } from "../../core/rules/shell/script-text.ts";
import { decodeAnsiC } from "./ansi-c.ts";

type Words = readonly ShellWord[];

/**
 * Texts that a program may run as commands, as far as they can be seen. Only deny and ask rules use them, so a false
 * guess does little harm: scripts are not parsed here, only what looks like a command is extracted. `given` is what it
 * reads as a script.
 */
export function guessTexts(
  { words, assignments }: Pick<ShellCommand, "words" | "assignments">,
  { program, items }: ReadOptions,
  given: Words,
): Words {
  const counts = words.length === 0 ? steersShell : changesWhatRuns;
  const settings = assignments.filter(({ name }) => counts(name)).map(({ value }) => withoutKey(value));
  const values = items.flatMap((item) => {
    const { kind, word } = item;
    const key = kind === "maybe-command" ? (words[item.at - 1]?.text ?? "") : "";
    if (key.startsWith("alias.")) return [withoutKey({ ...word, text: `${key}=${word.text}` })];
    if (kind === "maybe-command" || isMisfit(item)) return [word, withoutKey(word)];
    if (isPipe(item)) return [withoutKey(word)];
    if (mayHideLine(item, items)) return [word, withoutKey(word), ...startedBy("code", word)];
    // A list in JSON: `["ls", "-l"]`.
    if (kind === "program-in-one-word" && word.text.startsWith("["))
      return [{ ...word, text: word.text.replace(/[[\]",]/g, " ") }];
    const [, name] =
      kind === "environment-value" || kind === "program-value" || kind === "shell-value"
        ? (/^(\w+)\+?=/.exec(word.text) ?? [])
        : [];
    const isHeeded = kind === "environment-value" ? changesWhatRuns : steersShell;
    return name !== undefined && (isHeeded(name) || (kind === "program-value" && /\s/.test(word.text)))
      ? [withoutKey(word)]
      : [];
  });
  const isScript = program?.language === "sh" || program?.language === null;
  const scripts =
    program === null || isScript
      ? []
      : [...words.slice(1), ...given].flatMap((word) => startedBy(program.language, word));
  const shell = program?.language === "sh" || program?.style.includes("+") === true ? given : [];
  return [...settings, ...values, ...scripts, ...shell];
}

/** Several words where the table knows no harmless meaning: `lftp -e 'shell ls'`, `--setup='ls -l'`. */
export function mayHideLine({ kind, option, word, at }: Item, items: readonly Item[]): boolean {
  if (!/[\s{(]/.test(word.text.trim())) return false;
  if (kind === "uncovered" || kind === "unknown") return true;
  return option === null && items.some((one) => isBareUnknown(one) && one.at === at - 1);
}

/** A program in place of a file: `|ls`, `!ls`. */
export function isPipe({ kind, word }: Item): boolean {
  return FILES.has(kind) && /^[|!]\s*\S/.test(word.text);
}

const FILES: ReadonlySet<Item["kind"]> = new Set<Item["kind"]>([
  ...(["file-read", "file-read-with-rule", "archive", "file-written", "file-written-with-rule"] as const),
  ...(["file-copied", "file-moved", "code-run", "code-loaded"] as const),
]);

/** Text that does not match the pattern of harmless values: `ext::sh -c ls`. */
export function isMisfit({ kind, word }: Item): boolean {
  return kind instanceof RegExp && !kind.test(word.text);
}

/** `core.pager=less`, `ProxyCommand=nc`, `"\C-a":less`, `EXEC:sh`, `ext::sh`, `|less`: the command follows the key. */
export function withoutKey(word: ShellWord): ShellWord {
  const [, alias] = /^alias\.[^=]+=([^!].*)$/s.exec(word.text) ?? [];
  if (alias !== undefined) return { ...word, text: `git ${alias}` };
  if (word.text.startsWith("ext::")) return { ...word, text: remoteCommand(word.text.slice(5)) };
  const value = word.text.replace(/^(?:[^\s=|"'`]+=!?|[A-Z]\w+[ :]|"[^"]*"\s*:)?[|!]?/, "");
  return { ...word, text: value.replace(/^(["'])(.*)\1$/s, "$2") };
}

/** Git splits it at blanks, and reads `% ` as a blank inside a word. */
function remoteCommand(text: string): string {
  const words = text.match(/(?:%.|[^ %])+/gs) ?? [];
  return words.map((one) => quoteWord(one.replace(/%([ %])/g, "$1"))).join(" ");
}

/** Lines of a crontab have five fields before the command, or a word such as `@daily`. */
export function laterLines(word: ShellWord): Words {
  const lines = word.text.replace(/^[ \t]*(?:@\w+|(?:[\d*,/A-Za-z-]+[ \t]+){4}[\d*,/A-Za-z-]+)[ \t]+/gm, "");
  return lines === word.text ? [word] : [word, { ...word, text: lines }];
}

export function joinWords(words: Words): ShellWord {
  return {
    text: words.map(({ text }) => text).join(" "),
    isStatic: words.every(({ isStatic }) => isStatic),
    hasGlob: false,
    hasTilde: false,
  };
}

/** What `echo` and `printf` may print: the words as written, without options, with escapes decoded, in the format. */
export function guessPrinted(words: Words): Words {
  const [, ...rest] = words;
  const operands = rest.filter(({ text }, at) => !(at < 3 && /^-[neE]+$|^--$/.test(text)));
  const [format, ...values] = operands;
  if (format === undefined) return [];
  const texts = [joinWords(operands), joinWords(values), filled(format, values), ...values];
  return texts.flatMap((word) => [word, { ...word, text: decodeAnsiC(word.text).text }]);
}

function filled(format: ShellWord, values: Words): ShellWord {
  const left = [...values];
  const text = format.text.replace(/%[-0-9.]*[sbq]/g, () => left.shift()?.text ?? "");
  return { ...format, text };
}
