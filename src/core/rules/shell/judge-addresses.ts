import type { CompiledRule, CompiledRules } from "../compile-rules.ts";
import { type ShellCommand, type ShellWord, UNKNOWN_TEXT } from "./command-line.ts";
import { baseName } from "./command-pattern.ts";
import { asking, byRule, type Finding, show, showCommand } from "./finding.ts";

/** Programs that fetch the addresses they are given, and short options with a value that is none. */
const FETCHERS: ReadonlyMap<string, string> = new Map([
  ["curl", "AbcCdDeEFHKmoPQrtTuUwxXyYz"],
  ["wget", "aAbBDeEGiIlmnoOPQRtTUwX"],
  ["aria2c", "dijklmosx"],
  ["http", "aAoph"],
  ["https", "aAoph"],
  ["xh", "aAoph"],
  ["xhs", "aAoph"],
  ["lynx", ""],
  ["links", ""],
  ["elinks", ""],
  ["w3m", "IOTlo"],
]);
/** Options that take addresses out of a file or from the input. */
const LISTS = /^(?:-K|--config|-i|--input-file|--input-metalink)(?:=|$)/;

/** What `WebFetch` and `url` rules say about addresses on a command line. Only deny and ask look here: allow stays narrow. */
export function judgeAddresses(command: ShellCommand, { deny, ask }: Pick<CompiledRules, "deny" | "ask">) {
  const rules = { deny: deny.filter(isAboutAddresses), ask: ask.filter(isAboutAddresses) };
  if (rules.deny.length + rules.ask.length === 0) return [];
  const name = baseName(command.words[0]?.text ?? "");
  const valued = FETCHERS.get(name);
  if (valued === undefined) return [];
  const part = showCommand(command);
  const rest = command.words.slice(1);
  const found = addressesOf(rest, valued).flatMap((word): readonly Finding[] => judgeAddress(word, part, rules));
  const lists = rest.some(({ text }) => LISTS.test(text));
  return lists ? [...found, unknown(part, "addresses from a file")] : found;
}

/** A bare `WebFetch` is about that tool; a bare `url` is Copilot's word for every address. */
function isAboutAddresses({ family, matcher, tool }: CompiledRule): boolean {
  return family === "url" && (matcher.kind === "url" || matcher.kind === "pattern" || tool === "url");
}

/** Words that are no options and no values of options; `--url` names one by itself. */
function addressesOf(rest: readonly ShellWord[], valued: string): readonly ShellWord[] {
  const found: ShellWord[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at];
    if (word === undefined) break;
    const { text } = word;
    if (text.startsWith("--url=")) found.push({ ...word, text: text.slice(6) });
    else if (!text.startsWith("-")) found.push(word);
    else if (!text.startsWith("--") && text.length > 1 && valued.includes(text.at(-1) ?? "")) at += 1;
  }
  return found;
}

function judgeAddress(word: ShellWord, part: string, { deny, ask }: Pick<CompiledRules, "deny" | "ask">) {
  const spellings = spellingsOf(word);
  if (spellings === null) return [unknown(part, show(word.text))];
  const matches = ({ matcher }: CompiledRule): boolean => {
    if (matcher.kind === "any") return true;
    if (matcher.kind === "url") return spellings.some((url) => matcher.pattern.matches(url, "broadly"));
    return matcher.kind === "pattern" && spellings.some((url) => matcher.pattern.matcher(url).find());
  };
  const denied = deny.find(matches);
  if (denied !== undefined) return [byRule(part, "deny", denied, `fetching ${show(word.text)}`)];
  const asked = ask.find(matches);
  return asked === undefined ? [] : [byRule(part, "ask", asked, `fetching ${show(word.text)}`)];
}

/** Every address that the word may mean; null where its host is not plain text. Programs add the scheme themselves. */
function spellingsOf({ text, hasGlob }: ShellWord): readonly string[] | null {
  const [, scheme, authority = ""] = /^([a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)/is.exec(text) ?? [];
  // Curl reads lists and ranges itself: `http://{a,b}.test`.
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
