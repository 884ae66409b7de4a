import type { CompiledRule } from "../compile-rules.ts";
import type { RuleTables } from "../rule-table.ts";
import { type ShellCommand, type ShellWord, UNKNOWN_TEXT } from "./command-line.ts";
import { asking, byRule, type Finding, show, showCommand } from "./finding.ts";
import { namesIn } from "./names-in.ts";
import { readCommandOptions } from "./read-options.ts";

/** Applies `WebFetch` and `url` rules to addresses on a command line. Only deny and ask: allow stays narrow. */
export function addressJudge(rules: Rules) {
  const hasRules = rules.deny.has("url", isAboutAddresses) || rules.ask.has("url", isAboutAddresses);
  return (command: ShellCommand): readonly Finding[] => {
    if (!hasRules) return [];
    const part = showCommand(command);
    const { program, items } = readCommandOptions(command.words);
    if (program === null) return command.words.slice(1).flatMap((word) => judgeNamed(word, part, rules));
    const isSpeaker = program.isReader || /[dz]/.test(program.style);
    return items.flatMap(({ kind, word }): readonly Finding[] => {
      if (kind === "file-of-addresses") return [unknown(part, "addresses from a file")];
      if (kind === "address") return judgeAddress(word, part, rules);
      if (kind === "flag" || kind === "sub" || (kind === "text" && (isSpeaker || /\s/.test(word.text)))) return [];
      return judgeNamed(word, part, rules);
    });
  };
}

/** A bare `WebFetch` is about that tool; a bare `url` is Copilot's name for every address. */
function isAboutAddresses({ family, matcher, tool }: CompiledRule): boolean {
  return family === "url" && (matcher.kind === "url" || matcher.kind === "pattern" || tool === "url");
}

type Rules = Pick<RuleTables, "deny" | "ask">;

function judgeAddress(word: ShellWord, part: string, rules: Rules): readonly Finding[] {
  const spellings = spellingsOf(word);
  return spellings === null ? [unknown(part, show(word.text))] : judgeSpellings(spellings, word, part, rules);
}

/** A word that is no address itself may contain one: `-x http://h:3128`, `--connect-to ::h:80`, `--registry=h`. */
function judgeNamed(word: ShellWord, part: string, rules: Rules): readonly Finding[] {
  return judgeSpellings(addressesIn(word.text), word, part, rules);
}

const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s'"`<>\\)\]}]+/gi;
const HOST = /^(?:[\w-]+\.)+[\w-]*$|^localhost$/i;

function addressesIn(text: string): readonly string[] {
  const whole = text.match(ADDRESS) ?? [];
  // Prose has blanks; connection targets have none.
  const names = /\s/.test(text) ? [] : (namesIn(text) ?? []);
  const hosts = names.map((name) => name.replace(/^\/+|[/?#].*$/gs, "")).filter((name) => HOST.test(name));
  return [...whole, ...hosts.flatMap((host) => [`https://${host}/`, `http://${host}/`])];
}

function judgeSpellings(spellings: readonly string[], word: ShellWord, part: string, { deny, ask }: Rules) {
  const matches = (rule: CompiledRule): boolean => {
    const { matcher } = rule;
    if (!isAboutAddresses(rule)) return false;
    if (matcher.kind === "any") return true;
    if (matcher.kind === "url") return spellings.some((url) => matcher.pattern.matches(url, "broadly"));
    return matcher.kind === "pattern" && spellings.some((url) => matcher.pattern.matcher(url).find());
  };
  const denied = deny.about({ urls: spellings }).find(matches);
  if (denied !== undefined) return [byRule(part, "deny", denied, `fetching ${show(word.text)}`)];
  const asked = ask.about({ urls: spellings }).find(matches);
  return asked === undefined ? [] : [byRule(part, "ask", asked, `fetching ${show(word.text)}`)];
}

/** Every address that the word may mean; null if its host is not plain text. Programs add the scheme themselves. */
function spellingsOf({ text, hasGlob }: ShellWord): readonly string[] | null {
  const [, scheme, authority = ""] = /^([a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)/is.exec(text) ?? [];
  // Curl expands lists and ranges itself: `http://{a,b}.test`.
  if (authority.includes(UNKNOWN_TEXT) || /[{}[\],]/.test(authority) || (hasGlob && /[*?]/.test(authority)))
    return null;
  const urls = scheme === undefined ? [`https://${text}`, `http://${text}`] : [text];
  const other = scheme?.toLowerCase() === "http://" ? [text.replace(/^http:/i, "https:")] : [];
  return [...urls, ...other].map((url) => url.replaceAll(UNKNOWN_TEXT, "x"));
}

function unknown(part: string, what: string): Finding {
  return asking(
    part,
    "permission.unknown-address",
    `${what}: only the shell knows where that leads, and rules name addresses`,
  );
}
