import { isAtWork, type PathWorld, placesOf } from "../paths.ts";
import { isFreeTarget } from "../protected-paths.ts";
import { type ShellWord, UNKNOWN_TEXT } from "./command-line.ts";
import { baseName } from "./command-pattern.ts";
import { programOf } from "./program.ts";

/**
 * Judges the arguments of a program without a table by their appearance: a rule for it covers its own work, but not
 * code, command lines or files from elsewhere that it is given.
 */
export function findOdd(words: readonly ShellWord[], covered: number, world: PathWorld): string | null {
  const behind = words.findIndex(({ text }) => text === "--");
  for (let at = Math.max(1, covered); at < words.length; at++) {
    const word = words[at];
    if (word === undefined) continue;
    const equals = word.text.startsWith("-") ? word.text.indexOf("=") : -1;
    const value = equals === -1 ? word : { ...word, text: word.text.slice(equals + 1) };
    const isValue = equals !== -1 || /^-[^=]*$/.test(words[at - 1]?.text ?? "");
    const isOption = equals === -1 && word.text.startsWith("-");
    const isProgram = behind !== -1 && at === behind + 1 && startsProgram(word.text);
    if (isProgram || (!isOption && seemsMore(value, isValue && at !== behind + 1 ? "value" : "operand", world)))
      return word.text;
  }
  return null;
}

/** Whether a word looks like a command line, code, or a file elsewhere; as an option's value, also a file to load. */
export function seemsMore({ text }: ShellWord, place: "value" | "operand", world: PathWorld): boolean {
  if (seemsLine(text) || CALL.test(text)) return true;
  const rest = text.replace(ADDRESS, " ");
  if (place === "value" && (FOREIGN.test(text) || FILE.test(rest))) return true;
  return rest
    .split(BETWEEN)
    .some((piece) => /^(?:\/(?!\/)|~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/.test(piece) && leaves(piece, world));
}

/** `system("ls")`, `%sh{ls}`, `() => x` */
const CALL = /\w\s*\(\s*["'`]|%\w+\{|=>|\brequire\b|\bimport\b/;
const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"',]*/gi;
/** Loopback is this machine. */
const FOREIGN = /\b(?:file|git|ssh|ftp|https?)(?:\+\w+)?:\/\/(?!localhost\b|127\.|\[::1\]|0\.0\.0\.0)/i;
/** A file of code or settings, or a word that its beginning marks as a path. */
const FILE =
  /(?:^|[\s=:,"'[{(@])\.{1,2}\/|\w\.(?:[cm]?[jt]sx?|json[5c]?|ya?ml|toml|ini|cfg|conf|config|xml|py|rb|sh|pl|php|lua|exs?|gradle|groovy|cmake|mk|so|dll|dylib|jar|node|wasm|env|properties|targets|props|rsp|args|rules|plist)(?:$|[\s:,"'\]})])/i;
const BETWEEN = /[\s=:,;"'()[\]{}@|<>]+/;

function seemsLine(text: string): boolean {
  if (/[`\n]|\$\(|&&|\|\||;\s|(?:^|\s)\||\|\s|^!/.test(text)) return true;
  return /\s/.test(text.trim()) && startsProgram(text.trim().split(/\s/, 1)[0] ?? "");
}

function startsProgram(name: string): boolean {
  return /^(?:\.{1,2}|~)?\//.test(name) || programOf(baseName(name)) !== null;
}

function leaves(path: string, world: PathWorld): boolean {
  if (isFreeTarget(path)) return false;
  if (path.startsWith("~") || path.includes(UNKNOWN_TEXT)) return true;
  const places = placesOf(path, world.cwd, world);
  return places === null || places.some((place) => !isAtWork(place, world));
}
