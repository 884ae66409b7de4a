import { toCommandPattern } from "../../core/rules/shell/command-pattern.ts";
import { quoteWord } from "../../core/rules/shell/quote-word.ts";
import type { RuleList, Words } from "./client-rule.ts";

const UNSAID = "no rule here means exactly these words";

/** A rule for commands that begin with these words, or are just these. */
export function wordsRule(words: readonly string[], end: "prefix" | "exact"): Words {
  const line = words.map(quoteWord).join(" ");
  const specifier = end === "prefix" ? `${line}:*` : line;
  const pattern = toCommandPattern(specifier);
  // A word with `*` or a bracket would be read as something else.
  const isSame =
    pattern.kind === end && "words" in pattern && words.length > 0 && same(pattern.words, words) && !/[()]/.test(line);
  return isSame ? { rules: [`Bash(${specifier})`] } : UNSAID;
}

/** The words of plain text, as clients compare it with a command line; null if it is more than words. */
export function plainWords(text: string): readonly string[] | null {
  return /^[\w./@%+=:,~^ -]+$/.test(text) && text.trim() !== "" ? text.trim().split(/ +/) : null;
}

/**
 * A pattern in which `*` stands for anything, compared with single commands. `* ` at the end means the bare command too.
 */
export function wildcardRule(pattern: string, list: RuleList): Words {
  const text = pattern.trim();
  if (/^\**$/.test(text)) return { rules: ["Bash"] };
  if (!text.includes("*") && !text.includes("?")) return bareRule(text, "exact");
  const [, before] = /^([^*?]*\S) \*$/.exec(text) ?? [];
  if (before !== undefined) return bareRule(before, "prefix");
  if (text.includes("?") && list === "allow") return 'here "?" stands for itself';
  const said = text.replaceAll("?", "*");
  if (/[()\\'"\n]/.test(said)) return UNSAID;
  return {
    rules: [`Bash(${said})`],
    ...(said === text ? {} : { change: 'wider: "?" became "*"' }),
  };
}

function bareRule(text: string, end: "prefix" | "exact"): Words {
  const words = plainWords(text);
  return words === null ? UNSAID : wordsRule(words, end);
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, at) => word === other[at]);
}

/** Alternatives of which each is a list of words, and what may follow them. */
interface SimplePattern {
  readonly lines: readonly string[];
  /** `word`: something that is no part of the last word; `open`: anything. */
  readonly end: "exact" | "word" | "open";
}

const MOST_LINES = 64;

/**
 * What a regular expression about a command says, if it is only words and alternatives: `git (status|diff)\b`. Null for
 * others. It has to begin where the command begins.
 */
function simplePattern(source: string): SimplePattern | null {
  const [, rest = "", tail = ""] =
    /^(.*?)(\$|\\b(?:\.\*)?\$?|\.\*\$?|\( \.\*\)\?\$?|\(\\s\.\*\)\?\$|\(\\s\|\$\)|)$/s.exec(source) ?? [];
  const lines = expand(rest.replace(/\\s\+?| \+/g, " "));
  if (lines === null || lines.some((line) => plainWords(line) === null || line !== line.trim())) return null;
  const isWord = tail.startsWith("\\b") || tail.startsWith("(");
  return { lines, end: tail === "$" ? "exact" : isWord ? "word" : "open" };
}

/** `a(b|c)` as `ab` and `ac`, and escaped characters as themselves; null if there is more to it. */
function expand(source: string): readonly string[] | null {
  let lines = [""];
  let at = 0;
  while (at < source.length) {
    const rest = source.slice(at);
    const [group, inner] = /^\((?:\?:)?([^()]*)\)/.exec(rest) ?? [];
    const [piece] = /^(?:\\[.\-/+]|[\w/@%=:,~ -])/.exec(rest) ?? [];
    const next =
      group === undefined ? (piece === undefined ? null : [piece.replace("\\", "")]) : alternatives(inner ?? "");
    if (next === null || /^[?*+{]/.test(rest.slice((group ?? piece ?? "").length))) return null;
    lines = lines.flatMap((line) => next.map((one) => line + one));
    if (lines.length > MOST_LINES) return null;
    at += (group ?? piece ?? "").length;
  }
  return lines;
}

function alternatives(inner: string): readonly string[] | null {
  const texts = inner.split("|");
  if (!texts.every((text) => /^(?:\\[.\-/+]|[\w/@%=:,~ -])+$/.test(text))) return null;
  return texts.map((text) => text.replaceAll("\\", ""));
}

/** A regular expression about single commands. `from`: it has to begin where the command begins. */
export function regexRule(source: string, flags: string, list: RuleList): Words {
  if (/[^i]/.test(flags)) return `a regular expression with the flags "${flags}" has no form here`;
  const [, anchored] = /^\^(.*)$/s.exec(source) ?? [];
  const simple = anchored === undefined || flags !== "" ? null : simplePattern(anchored);
  if (simple !== null) return simpleRules(simple, list);
  if (list !== "allow") {
    if (/["'\n]/.test(source)) return "it is about quotes, which rules here do not see";
    return { rules: [`Bash(/${flags === "i" ? "(?i)" : ""}${source}/)`] };
  }
  const body = source.replace(/^\^/, "").replace(/(?<!\\)\$$/, "");
  const isWhole = anchored !== undefined && /(?<!\\)(?:\$|\.\*)$/.test(source);
  return {
    rules: [`Bash(/(?-s:${body})/)`],
    ...(isWhole ? {} : { change: "narrower: it has to match all of a command" }),
  };
}

function simpleRules({ lines, end }: SimplePattern, list: RuleList): Words {
  const rules: string[] = [];
  for (const line of lines) {
    const words = wordsRule(plainWords(line) ?? [], end === "exact" ? "exact" : "prefix");
    if (typeof words === "string") return words;
    rules.push(...words.rules);
    if (end === "open" && list !== "allow") rules.push(`Bash(${line}*)`);
  }
  return end === "open" && list === "allow" ? { rules, change: "narrower: it ends with a word" } : { rules };
}
