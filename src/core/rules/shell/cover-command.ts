import type { ReasonCode } from "../../codes/codes.ts";
import type { CompiledRule } from "../compile-rules.ts";
import { changesWhatRuns, steersShell } from "../loader-variables.ts";
import type { PathWorld } from "../paths.ts";
import type { RuleTable } from "../rule-table.ts";
import type { InnerCommands, ShellCommand, ShellWord } from "./command-line.ts";
import { type CommandPattern, coveredWords } from "./command-pattern.ts";
import { programOf } from "./program.ts";
import { readCommandOptions } from "./read-options.ts";
import { hasPlainInput, takesScript } from "./script-input.ts";
import { findChange, findRisk } from "./weigh-items.ts";

/** Whether allow rules cover a command; if not, what is missing. */
export type Cover =
  | { readonly covered: true; readonly rule: CompiledRule | null }
  | { readonly covered: false; readonly code: ReasonCode; readonly text: string };

const CAT: ShellWord = { text: "cat", isStatic: true, hasGlob: false, hasTilde: false };

/** A near miss says more than "no rule", so the first one is reported. */
export function coverCommand(command: ShellCommand, allows: RuleTable, world: PathWorld): Cover {
  const [name] = command.words;
  const steering = findSetting(command, steersShell);
  if (steering !== undefined) return refuse("permission.assignment", `it sets ${steering}, which can change what runs`);
  if (name === undefined) {
    // `$(< file)` is `$(cat file)`.
    const file = command.captured && command.redirections.some(({ effect }) => effect === "read");
    return file ? coverCommand({ ...command, words: [CAT] }, allows, world) : { covered: true, rule: null };
  }
  if (!name.isStatic || name.text === "")
    return refuse("permission.unknown-name", "the name of the command is only known to the shell");
  let miss: Cover = refuse("permission.no-rule", "no allow rule covers it");
  for (const rule of allows.about({ words: command.words })) {
    const cover = coverBy(rule, command, allows, world);
    if (cover?.covered === true) return cover;
    if (cover !== null && !miss.covered && miss.code === "permission.no-rule") miss = cover;
  }
  const through = command.inner.find(({ transparent }) => transparent);
  if (through === undefined) return miss;
  const covers = through.commands.map((inner) => coverCommand(inner, allows, world));
  return covers.find(({ covered }) => !covered) ?? covers[0] ?? miss;
}

/** Null if the rule is not about the command at all. */
function coverBy(rule: CompiledRule, command: ShellCommand, allows: RuleTable, world: PathWorld): Cover | null {
  if (rule.family !== "shell") return null;
  const reach = reachOf(rule, command.words);
  if (reach === null) return null;
  if (reach === "all") return { covered: true, rule };
  const reading = readingOf(rule);
  const setting = world.confinement === undefined ? findSetting(command, changesWhatRuns) : undefined;
  if (setting !== undefined && reading !== null) return null;
  if (setting !== undefined)
    return refuse("permission.assignment", `it sets ${setting}, which ${rule.text} does not cover`);
  const risk = reading === null ? findRisk(command.words, reach, world) : findChange(command.words, reading.mayWrite);
  if (risk !== null) {
    if (reading !== null) return null;
    const text = `${risk} can run a program, write a file or change what is found, which ${rule.text} does not cover`;
    return refuse("permission.risky-option", text);
  }
  if (takesScript(command) && !hasPlainInput(command))
    return refuse("permission.inner-command", "it runs what its input says, which the rule does not cover");
  const runsTools = readCommandOptions(command.words).program?.style.includes("P") === true;
  const isCovered = (inner: InnerCommands): boolean =>
    isInnerCovered(inner, reach, allows, world) || (runsTools && inner.commands.every((one) => isTool(one, world)));
  const open = command.inner.find((inner) => !inner.guessed && !isCovered(inner));
  if (open !== undefined) return refuse("permission.inner-command", "what it runs is not covered by a rule of its own");
  return { covered: true, rule };
}

/** The first variable set for it that matters. */
function findSetting({ assignments }: ShellCommand, counts: typeof changesWhatRuns): string | undefined {
  return assignments.find(({ name, value }) => counts(name, value.isStatic ? value.text : undefined))?.name;
}

/** How many words the rule spells out; `all` if it leaves nothing open. */
export function reachOf({ matcher }: CompiledRule, words: readonly ShellWord[]): number | "all" | null {
  if (matcher.kind === "any") return "all";
  if (matcher.kind === "pattern") {
    if (!words.every(({ isStatic }) => isStatic)) return null;
    return matcher.pattern.matches(words.map(({ text }) => text).join(" ")) ? 1 : null;
  }
  if (matcher.kind !== "command") return null;
  const { pattern } = matcher;
  const covered = coveredWords(pattern, words) ?? (pattern.kind === "prefix" ? coveredBehind(pattern, words) : null);
  return covered !== null && (pattern.kind === "exact" || pattern.kind === "any") ? "all" : covered;
}

type PrefixPattern = Extract<CommandPattern, { readonly kind: "prefix" }>;

/** Looks past harmless options that apply to every sub-command: `git --no-pager log`. */
function coveredBehind(pattern: PrefixPattern, words: readonly ShellWord[]): number | null {
  if (words[0]?.text !== pattern.words[0]) return null;
  const { items } = readCommandOptions(words);
  const end = items.findIndex(({ kind, option }) => kind === "sub" && option === null);
  const at = items[end]?.at ?? 1;
  const isSeenThrough = items
    .slice(0, Math.max(0, end))
    .every(({ kind, marks }) => (kind === "flag" || kind === "text" || kind === "folder") && !marks.includes("!"));
  if (at === 1 || !isSeenThrough) return null;
  const covered = coveredWords(pattern, [...words.slice(0, 1), ...words.slice(at)]);
  return covered === null ? null : covered + at - 1;
}

function readingOf({ matcher }: CompiledRule): Extract<CommandPattern, { readonly kind: "reading" }> | null {
  return matcher.kind === "command" && matcher.pattern.kind === "reading" ? matcher.pattern : null;
}

/** The rule itself names the inner program, like `npx eslint:*`, or each inner command has a rule. */
function isInnerCovered({ at, commands }: InnerCommands, reach: number, allows: RuleTable, world: PathWorld): boolean {
  if (at !== null && reach > at) return commands.every(({ words }) => findRisk(words, reach - at, world) === null);
  return commands.every((inner) => coverCommand(inner, allows, world).covered);
}

/** A tool that a project's own runner is meant for: `bundle exec rspec`. */
function isTool({ words, inner }: ShellCommand, world: PathWorld): boolean {
  const isOwn = programOf(words[0]?.text ?? "")?.style.includes("t") === true;
  return isOwn && inner.every(({ guessed }) => guessed) && findRisk(words, 1, world) === null;
}

function refuse(code: ReasonCode, text: string): Cover {
  return { covered: false, code, text };
}
