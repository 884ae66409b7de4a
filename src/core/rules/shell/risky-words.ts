import { matchesName } from "../glob-match.ts";
import { type ShellWord, UNKNOWN_TEXT } from "./command-line.ts";
import { baseName } from "./command-pattern.ts";
import { isPlainAwk, isPlainSed } from "./plain-scripts.ts";
import type { Risk } from "./risk.ts";
import { RISKS } from "./risky-options.ts";

const HARMLESS = /^(?:NODE_ENV|CI|TZ|LANG|LC_\w+|NO_COLOR|FORCE_COLOR|TERM)$/;

/** Variables that change nothing about what runs (contract 4). */
export function isHarmlessVariable(name: string): boolean {
  return HARMLESS.test(name);
}

/**
 * The first word beyond `covered` that runs a program, writes a file or changes where programs are found; null if none.
 * The words that the rule itself spells out were meant by whoever wrote it.
 */
export function findRisk(words: readonly ShellWord[], covered: number): string | null {
  const name = baseName(words[0]?.text ?? "");
  const risk = RISKS.get(name);
  if (risk === undefined) return null;
  const beyond = words.map((word, index) => ({ word, index })).slice(1);
  const { end, operands, values } = layOut(beyond, risk);
  const options = beyond.filter(({ index }) => index < end && !values.has(index));
  const leadingEnd = operands.find((operand) => !mayBeValue(operand, words, risk))?.index ?? words.length;
  const found =
    (risk.always === true && operands.length > 0 ? operands[0]?.word.text : undefined) ??
    options.find(({ word, index }) => index >= covered && isRiskyOption(word.text, risk))?.word.text ??
    beyond.find(({ word, index }) => index >= covered && isRiskyWord(word.text, risk))?.word.text ??
    options.find(({ word, index }) => {
      if (risk.leading === undefined || index < covered || index >= leadingEnd) return false;
      return isRiskyOption(word.text, risk.leading);
    })?.word.text ??
    findInSub(risk, { words, operands, options }, covered) ??
    findSequence(risk, { words, operands, options }, covered) ??
    findCode(risk, beyond, operands) ??
    (risk.maxOperands !== undefined ? operands[risk.maxOperands]?.word.text : undefined) ??
    options.find(({ word, index }) => index >= covered && couldBeOption(word, index, risk, leadingEnd))?.word.text;
  return found?.replaceAll(UNKNOWN_TEXT, "…") ?? null;
}

/** Of a program whose options only count before its script, a word behind a long option may be that option's value. */
function mayBeValue({ index }: Placed, words: readonly ShellWord[], risk: Risk): boolean {
  return isOnlyLeading(risk) && /^--[^=]+$/.test(words[index - 1]?.text ?? "");
}

function isOnlyLeading({ short, long, words, leading }: Risk): boolean {
  return leading !== undefined && short === undefined && long === undefined && words === undefined;
}

interface Placed {
  readonly word: ShellWord;
  readonly index: number;
}

interface Laid {
  readonly end: number;
  readonly operands: readonly Placed[];
  /** Where the values of options stand. */
  readonly values: ReadonlySet<number>;
}

/** Where options end, and which words are operands. */
function layOut(beyond: readonly Placed[], risk: Risk): Laid {
  const operands: Placed[] = [];
  const values = new Set<number>();
  const valuedNow = (): string => {
    const [sub] = operands;
    if (sub === undefined) return `${risk.valued ?? ""}${risk.leading?.valued ?? ""}`;
    const own =
      risk.subs !== undefined && Object.hasOwn(risk.subs, sub.word.text) ? risk.subs[sub.word.text] : undefined;
    return `${risk.valued ?? ""}${own?.valued ?? ""}`;
  };
  let skip = false;
  let ended = false;
  let end = Number.POSITIVE_INFINITY;
  for (const placed of beyond) {
    const { text } = placed.word;
    if (skip) {
      skip = false;
      values.add(placed.index);
    } else if (!ended && text === "--" && risk.noEndMark !== true) {
      ended = true;
      end = placed.index;
    } else if (ended || !text.startsWith("-") || text === "-") operands.push(placed);
    else if (!text.startsWith("--") && text.length > 1 && valuedNow().includes(text.at(-1) ?? "")) skip = true;
  }
  return { end, operands, values };
}

function isRiskyOption(text: string, risk: Pick<Risk, "short" | "long" | "safeLong" | "valued">): boolean {
  if (text.startsWith("--")) {
    const [name = ""] = text.slice(2).split("=");
    if (name === "" || listOf(risk.safeLong).includes(name)) return false;
    return listOf(risk.long).some((long) => long.startsWith(name));
  }
  if (!text.startsWith("-")) return false;
  for (const letter of text.slice(1)) {
    if (risk.short?.includes(letter) === true) return true;
    if (risk.valued?.includes(letter) === true) return false;
  }
  return false;
}

function isRiskyWord(text: string, risk: Risk): boolean {
  if (risk.bare !== undefined && /^[A-Za-z]{1,8}$/.test(text)) {
    const letters = risk.bare;
    if (/^[AXSTIFPacefghjklmrstuvwxz]+$/.test(text) && [...text].some((letter) => letters.includes(letter)))
      return true;
  }
  if (risk.assigns === true) {
    const [, name] = /^(\w+)(?:\[.*\])?\+?=/s.exec(text) ?? [];
    if (name !== undefined && !isHarmlessVariable(name)) return true;
  }
  if (risk.matching?.test(text) === true) return true;
  const small = text.toLowerCase();
  return listOf(risk.words).some(
    (pattern) =>
      pattern === text ||
      (/[*[]/.test(pattern) && matchesName(escapeClass(pattern), text)) ||
      // Schemes of addresses have no case.
      (/^[a-z]+:\*$/.test(pattern) && matchesName(pattern, small)),
  );
}

/** In these tables `[` opens a class only where a digit or a capital letter follows. */
function escapeClass(pattern: string): string {
  return pattern.replace(/\[(?![0-9A-Z])/g, "\\[");
}

function findInSub(risk: Risk, { words, operands, options }: Given, covered: number): string | undefined {
  const [sub] = operands;
  if (sub === undefined || risk.subs === undefined || !Object.hasOwn(risk.subs, sub.word.text)) return undefined;
  const more = risk.subs[sub.word.text];
  if (more === undefined) return undefined;
  const last = operands.find(
    ({ word, index }) => listOf(more.until).includes(word.text) && !mayHaveValue(words[index - 1]),
  );
  const end = last?.index ?? Number.POSITIVE_INFINITY;
  return options.find(
    ({ word, index }) => index > sub.index && index < end && index >= covered && isRiskyOption(word.text, more),
  )?.word.text;
}

function mayHaveValue(word: ShellWord | undefined): boolean {
  return /^-[^=]+$/.test(word?.text ?? "");
}

interface Given {
  readonly words: readonly ShellWord[];
  readonly operands: readonly Placed[];
  readonly options: readonly Placed[];
}

function findSequence(risk: Risk, given: Given, covered: number): string | undefined {
  const isGit = baseName(given.words[0]?.text ?? "") === "git";
  for (const sequence of sequencesOf(risk)) {
    const last = endOf(sequence, given, isGit);
    if (last === null) continue;
    if (isGit && sequence[0] === "config") return findConfigChange(given.operands.slice(1), given.options);
    return last < covered ? undefined : sequence.join(" ");
  }
  return undefined;
}

/**
 * Where a sequence ends that the operands begin with. A word behind an option may be its value, as in
 * `docker --log-level debug run`; of git every option with a value is known.
 */
function endOf(sequence: readonly string[], { words, operands }: Given, isExact: boolean): number | null {
  let step = 0;
  for (const { word, index } of operands) {
    if (word.text === sequence[step]) step += 1;
    else if (isExact || !mayHaveValue(words[index - 1])) return null;
    if (step === sequence.length) return index;
  }
  return null;
}

const HARMLESS_CONFIG =
  /^(?:user\.(?:name|email)|color\.[\w.]+|log\.date|pull\.rebase|init\.defaultBranch|advice\.\w+)$/i;

/** Reading configuration is harmless, and so is setting a few keys; any other key can name a program. */
function findConfigChange(operands: readonly Placed[], options: readonly Placed[]): string | undefined {
  const [key, value, more] = operands;
  const changes = options.find(({ word }) => /^(?:--(?:a|ed|fil|bl|rep|un|ren|rem)|-[a-zA-Z]*[ef])/.test(word.text));
  if (changes !== undefined) return changes.word.text;
  if (more !== undefined) return more.word.text;
  if (key === undefined || ["get", "list", "get-all"].includes(key.word.text)) return undefined;
  if (["set", "unset", "edit", "rename-section", "remove-section"].includes(key.word.text)) return key.word.text;
  if (value === undefined) return key.word.isStatic ? undefined : key.word.text;
  return HARMLESS_CONFIG.test(key.word.text) ? undefined : key.word.text;
}

function findCode(risk: Risk, beyond: readonly Placed[], operands: readonly Placed[]): string | undefined {
  if (risk.code === undefined) return undefined;
  const flag = beyond.findIndex(({ word }) => /^-[a-zA-Z]*e$|^--expression$/.test(word.text));
  const stuck = beyond
    .filter(({ word }) => /^-e.|^--expression=/.test(word.text))
    .map(({ word }) => ({ ...word, text: word.text.replace(/^-e|^--expression=/, "") }));
  const first = risk.code === "sed" && (flag !== -1 || stuck.length > 0) ? undefined : operands[0]?.word;
  const scripts = [...stuck, ...(first === undefined ? [] : [first])];
  for (const [at, { word }] of beyond.entries()) {
    const next = beyond[at + 1]?.word;
    if (/^-[a-zA-Z]*e$|^--expression$/.test(word.text) && next !== undefined) scripts.push(next);
  }
  const isPlain = risk.code === "sed" ? isPlainSed : risk.code === "awk" ? isPlainAwk : () => false;
  return scripts.find((script) => !script.isStatic || !isPlain(script.text))?.text;
}

/** Text that only the shell knows may turn out to be an option: `git log $X`, `tar c *`. */
function couldBeOption(word: ShellWord, index: number, risk: Risk, leadingEnd: number): boolean {
  if (word.isStatic || risk.takesData === true) return false;
  if (isOnlyLeading(risk) && index > leadingEnd) return false;
  return word.text.startsWith(UNKNOWN_TEXT) || word.text.startsWith("-") || /^[*?[]/.test(word.text);
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(" ");
}

function sequencesOf({ sequences }: Risk): readonly (readonly string[])[] {
  return sequences?.split(", ").map((sequence) => sequence.split(" ")) ?? [];
}
