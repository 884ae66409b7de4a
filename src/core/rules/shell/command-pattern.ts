import { matchesName } from "../glob-match.ts";
import { type ShellWord, UNKNOWN_TEXT } from "./command-line.ts";
import { sameCommands } from "./same-command.ts";

/** The text between the parentheses of a `Bash` rule, parsed. */
export type CommandPattern =
  | { readonly kind: "any" }
  /** Any command that only reads, or with `mayWrite` writes files that are judged separately. Not for users. */
  | { readonly kind: "reading"; readonly mayWrite: boolean }
  | { readonly kind: "exact"; readonly words: readonly string[]; readonly text: string }
  | { readonly kind: "prefix"; readonly words: readonly string[] }
  | { readonly kind: "wildcard"; readonly text: string };

/** `x:*` and `x *` are prefixes that end at a word boundary, `*` elsewhere matches blanks too, others are exact. */
export function toCommandPattern(specifier: string | null): CommandPattern {
  if (specifier === null) return { kind: "any" };
  const text = specifier.trim();
  const [, prefix] = /^(.*?)(?::\*| \*)$/s.exec(text) ?? [];
  if (prefix !== undefined && !prefix.includes("*")) return { kind: "prefix", words: toRuleWords(prefix) };
  if (text.includes("*")) return { kind: "wildcard", text: text.replace(/:\*$/, " *") };
  return { kind: "exact", words: toRuleWords(text), text };
}

/** The words of a rule without plain quotes, like the words of a command. */
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

/** How many words of the command an allow rule covers, or null. Exact words only: `./git` is not `git`. */
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
      // `* --version` and `ls*` name no whole program, so they mean every matching one whose words are known.
      const isNamed = fixed.length === 0 || isPrefix(fixed, words);
      return isNamed && words.every(isCertain) && matchesText(pattern.text, words) ? fixed.length : null;
    }
  }
}

/** Whether a deny or ask rule means this command: base name, options skipped, unknown text matches (contract 4). */
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
 * Whether the rule might mean it: a word that the rule names is only known to the shell, as in `git "$x"`. Options are
 * no such words, or every unknown value would count.
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

/** Not directly after an option, where it would be the option's value. */
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

/** The rule's words in order, skipping options and their values; `ends`: with nothing after them. */
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

/** Indexes reachable from `from` when skipping options, each with or without a value. */
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

/** A word with unknown text may be any word that fits around it. */
function isMeant(wanted: string, word: ShellWord | undefined): boolean {
  if (word === undefined) return false;
  if (word.text === wanted) return true;
  return word.hasGlob && matchesName(word.text, wanted);
}

/** All rules are matched against the same name in turn, so the last one is cached. */
let last = { written: "", text: "", base: "" };

/** Ignores case: on some file systems `RM` is `rm`. */
function isNamed(wanted: string, name: ShellWord): boolean {
  if (last.written !== name.text) {
    const text = name.text.toLowerCase();
    last = { written: name.text, text, base: baseName(text) };
  }
  const { text, base } = last;
  const rule = wanted.toLowerCase();
  if (text === rule) return true;
  if (name.hasGlob) return matchesName(base, baseName(rule));
  // `python3` also means `python3.11`, and `gcc` means `gcc-12`.
  if (!rule.includes("/"))
    return base === rule || (base.startsWith(rule) && /^[.-]?\d[\d.]*$/.test(base.slice(rule.length)));
  // A rule with a path means that file, however it is reached; system programs are known by name.
  const sameFile = normalizedName(rule) === normalizedName(text);
  return sameFile || (base === baseName(rule) && (!text.includes("/") || (isSystem(rule) && isSystem(text))));
}

/** Without `.` and `..`, by text alone. */
export function normalizedName(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === ".." && kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else kept.push(segment);
  }
  return (path.startsWith("/") ? "/" : "") + kept.join("/");
}

function isSystem(path: string): boolean {
  return /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/.test(normalizedName(path));
}

export function baseName(text: string): string {
  return text.slice(text.lastIndexOf("/") + 1);
}
