import type { ShellWord } from "../../core/rules/shell/command-line.ts";
import type { Wrapper } from "./wrappers.ts";

/** What a wrapper runs: words of a command, or the text of a command line. */
export interface Wrapped {
  /** Where in the words each command starts that may be meant. */
  readonly starts: readonly number[];
  readonly strings: readonly ShellWord[];
  readonly transparent: boolean;
}

/** How many places are tried where the options do not tell where the command starts. */
const MAX_GUESSES = 16;
const NAME_VALUE = /^[A-Za-z_]\w*=/;

/** Finds the command behind the options of `words[0]`. */
export function unwrapWords(words: readonly ShellWord[], wrapper: Wrapper): Wrapped {
  const rest = words.slice(1);
  if (wrapper.loose === true) {
    const from = wrapper.after === undefined ? 0 : findAfter(rest, listOf(wrapper.after));
    return unwrapLoosely(rest, from ?? rest.length);
  }
  const strings = optionValues(rest, listOf(wrapper.strings));
  const start = wrapper.after === undefined ? 0 : findAfter(rest, listOf(wrapper.after));
  const none = { starts: [], strings, transparent: false };
  if (start === null) return none;
  const { at, odd, options } = skipOptions(rest, start, wrapper);
  if (options.some((option) => listOf(wrapper.idle).includes(option))) return none;
  const behind = at + (wrapper.operands ?? 0);
  const first = rest[behind]?.text === "--" ? behind + 1 : behind;
  const starts = [first];
  // An option nobody knows may have taken the next word: then the command starts later.
  if (odd) for (let later = at + 1; later < Math.min(rest.length, at + MAX_GUESSES); later++) starts.push(later);
  const joined = wrapper.joined === true && first < rest.length ? [joinWords(rest.slice(first))] : [];
  const isSeenThrough =
    wrapper.transparent !== undefined &&
    !odd &&
    rest.slice(0, first).every(({ isStatic }) => isStatic) &&
    !options.some((option) => listOf(wrapper.transparent?.unless).includes(option));
  return {
    starts: [...new Set(starts)].filter((index) => index < rest.length).map((index) => index + 1),
    strings: [...strings, ...joined],
    transparent: isSeenThrough,
  };
}

/** Any word may be the command, and any word with blanks a command line. */
function unwrapLoosely(rest: readonly ShellWord[], from: number): Wrapped {
  const words = rest.slice(from, from + MAX_GUESSES);
  const starts = words.flatMap(({ text }, at) => (text === "" || text.startsWith("-") ? [] : [from + at + 1]));
  return { starts, strings: words.filter(({ text }) => /\s/.test(text.trim())), transparent: false };
}

export function joinWords(words: readonly ShellWord[]): ShellWord {
  return {
    text: words.map(({ text }) => text).join(" "),
    isStatic: words.every(({ isStatic }) => isStatic),
    hasGlob: false,
    hasTilde: false,
  };
}

/** The values of the options that are named: in the next word, behind `=`, or stuck to a short option. */
export function optionValues(words: readonly ShellWord[], names: readonly string[]): readonly ShellWord[] {
  return words.flatMap((word, index) => {
    const values: ShellWord[] = [];
    for (const name of names) {
      const next = words[index + 1];
      if (word.text === name && next !== undefined) values.push(next);
      else if (word.text.startsWith(`${name}=`)) values.push({ ...word, text: word.text.slice(name.length + 1) });
      else if (/^-[A-Za-z]$/.test(name)) values.push(...clusterValue(word, name.slice(1), next));
    }
    return values;
  });
}

/** `-lc text` and `-ctext` as well as `-c text`. */
function clusterValue(word: ShellWord, letter: string, next: ShellWord | undefined): readonly ShellWord[] {
  const [, before, behind = ""] = new RegExp(`^-([A-Za-z]*)${letter}(.*)$`, "s").exec(word.text) ?? [];
  if (before === undefined) return [];
  const stuck = behind === "" ? [] : [{ ...word, text: behind }];
  return next === undefined ? stuck : [...stuck, next];
}

function findAfter(rest: readonly ShellWord[], after: readonly string[]): number | null {
  const at = rest.findIndex(({ text }) => after.includes(text));
  return at === -1 ? null : at + 1;
}

interface Skipped {
  readonly at: number;
  /** Some option is not known, so that its value could be taken for the command. */
  readonly odd: boolean;
  readonly options: readonly string[];
}

function skipOptions(rest: readonly ShellWord[], start: number, wrapper: Wrapper): Skipped {
  const options: string[] = [];
  let odd = false;
  let at = start;
  while (at < rest.length) {
    const text = rest[at]?.text ?? "";
    if (wrapper.assigns === true && NAME_VALUE.test(text)) at += 1;
    else if (text === "--") return { at: at + 1, odd, options };
    // `env -` clears the environment and goes on.
    else if (text === "-" && wrapper.assigns === true) at += 1;
    else if (text === "-" || text === "" || !text.startsWith("-")) break;
    else {
      const { name, takesNext, known } = readOption(text, wrapper);
      options.push(name);
      odd ||= !known;
      at += takesNext ? 2 : 1;
    }
  }
  return { at: Math.min(at, rest.length), odd, options };
}

interface ReadOption {
  readonly name: string;
  readonly takesNext: boolean;
  readonly known: boolean;
}

function readOption(text: string, wrapper: Wrapper): ReadOption {
  const { valued = "", flags = "" } = wrapper;
  const flagsLong = listOf(wrapper.flagsLong);
  if (text.startsWith("--")) {
    const [name = ""] = text.slice(2).split("=");
    const isValued = listOf(wrapper.valuedLong).some((long) => long.startsWith(name)) && !flagsLong.includes(name);
    const known = isValued || text.includes("=") || flagsLong.includes(name);
    return { name: `--${name}`, takesNext: isValued && !text.includes("="), known };
  }
  if (/^-\d+$/.test(text)) return { name: text, takesNext: false, known: true };
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (valued.includes(letter)) return { name: `-${letter}`, takesNext: at === text.length - 1, known: true };
    if (!flags.includes(letter)) return { name: `-${letter}`, takesNext: false, known: false };
  }
  return { name: text.slice(0, 2), takesNext: false, known: true };
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined || text === "" ? [] : text.split(" ");
}
