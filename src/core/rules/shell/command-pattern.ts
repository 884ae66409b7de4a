import { matchesName } from "../glob-match.ts";
import { type ShellWord, UNKNOWN_TEXT } from "./command-line.ts";
import { sameCommands } from "./same-command.ts";

/** What stands between the parentheses of a `Bash` rule. */
export type CommandPattern =
  | { readonly kind: "any" }
  /** Whatever only reads, or writes files that are judged besides where it may; no rule of a person says so. */
  | { readonly kind: "reading"; readonly mayWrite: boolean }
  | { readonly kind: "exact"; readonly words: readonly string[]; readonly text: string }
  | { readonly kind: "prefix"; readonly words: readonly string[] }
  | { readonly kind: "wildcard"; readonly text: string };

/** `x:*` and `x *` are prefixes that end at a word boundary, `*` elsewhere spans blanks, anything else is exact. */
export function toCommandPattern(specifier: string | null): CommandPattern {
  if (specifier === null) return { kind: "any" };
  const text = specifier.trim();
  const [, prefix] = /^(.*?)(?::\*| \*)$/s.exec(text) ?? [];
  if (prefix !== undefined && !prefix.includes("*")) return { kind: "prefix", words: toRuleWords(prefix) };
  if (text.includes("*")) return { kind: "wildcard", text: text.replace(/:\*$/, " *") };
  return { kind: "exact", words: toRuleWords(text), text };
}

/** The words of a rule, after removal of plain quotes, as those of a command are. */
function toRuleWords(text: string): readonly string[] {
  const words: string[] = [];
  const token = /(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*"|['"\\])+/gs;
  for (const [written] of text.matchAll(token)) {
    words.push(
      written.replace(/\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/gs, (_, escaped, single, double) =>
        String(escaped ?? single ?? String(double ?? "").replace(/\\(["\\$`])/g, "$1")),
      ),
    );
  }
  return words;
}

/** How many of the command's words an allow rule covers, or null. Exact words only: `./git` is not `git`. */
export function coveredWords(pattern: CommandPattern, words: readonly ShellWord[]): number | null {
  switch (pattern.kind) {
    case "any":
      return words.length;
    case "reading":
      return words[0]?.isStatic === true && !words[0].text.includes("/") ? 1 : null;
    case "exact":
      return isPrefix(pattern.words, words) && pattern.words.length === words.length && words.every(isCertain)
        ? words.length
        : null;
    case "prefix":
      return isPrefix(pattern.words, words) ? pattern.words.length : null;
    case "wildcard": {
      const fixed = toRuleWords(pattern.text.slice(0, pattern.text.indexOf("*")).replace(/\S+$/, ""));
      // `* --version` and `ls*` name no whole program, and mean every one that fits and can be read.
      const isNamed = fixed.length === 0 || isPrefix(fixed, words);
      return isNamed && words.every(isCertain) && matchesText(pattern.text, words) ? fixed.length : null;
    }
  }
}

/** Whether a deny or ask rule means this command: by base name, past options, whatever is unknown (contract 4). */
export function meansCommand(pattern: CommandPattern, words: readonly ShellWord[]): boolean {
  const [name] = words;
  if (name === undefined) return false;
  switch (pattern.kind) {
    case "any":
      return true;
    case "reading":
      return false;
    case "exact":
      return (
        reaches(pattern.words, words, true) ||
        words.map(({ text }) => text).join(" ") === pattern.words.join(" ").replace(/\s+/g, " ")
      );
    case "prefix":
      return reaches(pattern.words, words, false);
    case "wildcard": {
      const based = [{ ...name, text: baseName(name.text) }, ...words.slice(1)];
      return matchesText(pattern.text, words) || matchesText(pattern.text, based);
    }
  }
}

/**
 * Whether it may turn out to be a command that the rule means: only the shell knows a word of it where the rule has one,
 * as in `git "$x"`. Options are no such words, or every unknown value would be one.
 */
export function mayMean(pattern: CommandPattern, words: readonly ShellWord[]): boolean {
  if (pattern.kind !== "prefix" && pattern.kind !== "exact") return false;
  const guess = words.findIndex(({ text }, at) => text === UNKNOWN_TEXT && isOpenPlace(words, at));
  if (guess === -1) return false;
  const open = words[guess];
  return pattern.words
    .slice(1)
    .some(
      (text) =>
        !/^[-+]/.test(text) && open !== undefined && meansCommand(pattern, words.with(guess, { ...open, text })),
    );
}

/** Not behind an option, whose value it would be. */
function isOpenPlace(words: readonly ShellWord[], at: number): boolean {
  return at > 0 && !/^-/.test(words[at - 1]?.text ?? "");
}

function isCertain({ text, isStatic }: ShellWord): boolean {
  return isStatic && !text.includes(UNKNOWN_TEXT);
}

function isPrefix(rule: readonly string[], words: readonly ShellWord[]): boolean {
  return rule.length > 0 && rule.every((text, at) => words[at]?.text === text && words[at]?.isStatic === true);
}

function matchesText(pattern: string, words: readonly ShellWord[]): boolean {
  const text = words.map((word) => word.text).join(" ");
  const bare = / \*$/.test(pattern) && matchesName(pattern.slice(0, -2), text);
  // Only `*` is special here: `[` and `?` are ordinary in commands.
  return bare || matchesName(pattern.replace(/[[?\\]/g, "\\$&"), text);
}

/** The rule's words in order, with options and their values passed over in between; `ends`: and nothing behind them. */
function reaches(rule: readonly string[], written: readonly ShellWord[], ends: boolean): boolean {
  return sameCommands(rule).some((one) => reachesAs(one, written, ends));
}

function reachesAs(rule: readonly string[], written: readonly ShellWord[], ends: boolean): boolean {
  const [first] = rule;
  const words = first === "git" ? asGit(written) : written;
  const [name] = words;
  // Most rules of a long list are about another program.
  if (first === undefined || name === undefined || !isNamed(first, name)) return false;
  const [rest, given] = [rule.slice(1), words.slice(1)];
  let places = new Set([0]);
  for (const wanted of rest) {
    const next = new Set<number>();
    for (const from of places) for (const at of passable(given, from)) if (isMeant(wanted, given[at])) next.add(at + 1);
    places = next;
    if (places.size === 0) return false;
  }
  return !ends || places.has(given.length);
}

/** The programs of git's own folder are its sub-commands: `git-push`. */
function asGit(words: readonly ShellWord[]): readonly ShellWord[] {
  const [name, ...rest] = words;
  const [, sub] = /^git-([\w-]+)$/.exec(baseName(name?.text ?? "")) ?? [];
  return name === undefined || sub === undefined ? words : [{ ...name, text: "git" }, { ...name, text: sub }, ...rest];
}

/** The places reachable from `from` when options, each with or without a value, are passed over. */
function passable(given: readonly ShellWord[], from: number): readonly number[] {
  const found = [from];
  let at = from;
  while (at < given.length) {
    const text = given[at]?.text ?? "";
    const behindOption = at > from && /^[-+]/.test(given[at - 1]?.text ?? "");
    if (!/^[-+]/.test(text) && !behindOption && !text.includes(UNKNOWN_TEXT)) break;
    at += 1;
    found.push(at);
  }
  return found;
}

/** A word with unknown text in it may be any word that fits around. */
function isMeant(wanted: string, word: ShellWord | undefined): boolean {
  if (word === undefined) return false;
  if (word.text === wanted) return true;
  return word.hasGlob && matchesName(word.text, wanted);
}

/** Every rule is held against the same name in turn, so the last one is kept. */
let last = { written: "", text: "", base: "" };

/** Case does not count: where the file system does not tell it, `RM` is `rm`. */
function isNamed(wanted: string, name: ShellWord): boolean {
  if (last.written !== name.text) {
    const text = name.text.toLowerCase();
    last = { written: name.text, text, base: baseName(text) };
  }
  const { text, base } = last;
  const rule = wanted.toLowerCase();
  if (text === rule) return true;
  if (name.hasGlob) return matchesName(base, baseName(rule));
  // `python3` means `python3.11` too, and `gcc` means `gcc-12`.
  if (!rule.includes("/"))
    return base === rule || (base.startsWith(rule) && /^[.-]?\d[\d.]*$/.test(base.slice(rule.length)));
  // A rule with a path means that file, however it is reached; programs of the system are known by name.
  const sameFile = normalized(rule) === normalized(text);
  return sameFile || (base === baseName(rule) && (!text.includes("/") || (isSystem(rule) && isSystem(text))));
}

function normalized(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === ".." && kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else kept.push(segment);
  }
  return (path.startsWith("/") ? "/" : "") + kept.join("/");
}

function isSystem(path: string): boolean {
  return /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/.test(normalized(path));
}

export function baseName(text: string): string {
  return text.slice(text.lastIndexOf("/") + 1);
}
