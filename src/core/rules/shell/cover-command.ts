import type { ReasonCode } from "../../codes/codes.ts";
import type { CompiledRule } from "../compile-rules.ts";
import type { InnerCommands, ShellCommand, ShellWord } from "./command-line.ts";
import { baseName, coveredWords } from "./command-pattern.ts";
import { findRisk, isHarmlessVariable } from "./risky-words.ts";

/** Whether allow rules cover a command; if not, what is in the way. */
export type Cover =
  | { readonly covered: true; readonly rule: CompiledRule | null }
  | { readonly covered: false; readonly code: ReasonCode; readonly text: string };

/** Nearest misses say more than "no rule", so the first of them is kept. */
export function coverCommand(command: ShellCommand, allows: readonly CompiledRule[]): Cover {
  const { words, assignments } = command;
  const [name] = words;
  const setting = assignments.find((assignment) => !isHarmlessVariable(assignment.name));
  if (setting !== undefined)
    return refuse("permission.assignment", `it sets ${setting.name}, which can change what runs`);
  if (name === undefined) return { covered: true, rule: null };
  if (!name.isStatic || name.text === "")
    return refuse("permission.unknown-name", "the name of the command is only known to the shell");
  let miss: Cover = refuse("permission.no-rule", "no allow rule covers it");
  for (const rule of allows) {
    const cover = coverBy(rule, command, allows);
    if (cover?.covered === true) return cover;
    if (cover !== null && !miss.covered && miss.code === "permission.no-rule") miss = cover;
  }
  const through = command.inner.find(({ transparent }) => transparent);
  if (through === undefined) return miss;
  const covers = through.commands.map((inner) => coverCommand(inner, allows));
  return covers.find(({ covered }) => !covered) ?? covers[0] ?? miss;
}

/** Null where the rule does not mean the command at all. */
function coverBy(rule: CompiledRule, command: ShellCommand, allows: readonly CompiledRule[]): Cover | null {
  if (rule.family !== "shell") return null;
  const reach = reachOf(rule, command.words);
  if (reach === null) return null;
  if (reach === "all") return { covered: true, rule };
  const risk = findRisk(command.words, reach);
  if (risk !== null) {
    const text = `${risk} can run a program, write a file or change what is found, which ${rule.text} does not cover`;
    return refuse("permission.risky-option", text);
  }
  if (readsCommands(command))
    return refuse("permission.inner-command", "it takes commands from its input, which nobody can read");
  const open = command.inner.find((inner) => !inner.guessed && !isInnerCovered(inner, reach, allows));
  if (open !== undefined) return refuse("permission.inner-command", "what it runs is not covered by a rule of its own");
  return { covered: true, rule };
}

/** How many words the rule spells out; `all` where it leaves nothing open. */
function reachOf({ matcher }: CompiledRule, words: readonly ShellWord[]): number | "all" | null {
  if (matcher.kind === "any") return "all";
  if (matcher.kind === "pattern") {
    if (!words.every(({ isStatic }) => isStatic)) return null;
    return matcher.pattern.matches(words.map(({ text }) => text).join(" ")) ? 1 : null;
  }
  if (matcher.kind !== "command") return null;
  const covered = coveredWords(matcher.pattern, words);
  if (covered === null) return null;
  return matcher.pattern.kind === "exact" || matcher.pattern.kind === "any" ? "all" : covered;
}

/** The rule itself names the inner program, as `npx eslint:*` does, or each inner command has a rule. */
function isInnerCovered({ at, commands }: InnerCommands, reach: number, allows: readonly CompiledRule[]): boolean {
  if (at !== null && reach > at) return commands.every(({ words }) => findRisk(words, reach - at) === null);
  return commands.every((inner) => coverCommand(inner, allows).covered);
}

const SHELLS = new Set(["bash", "sh", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh"]);
const INTERPRETERS = new Set([
  "python",
  "python2",
  "python3",
  "node",
  "perl",
  "ruby",
  "php",
  "lua",
  "deno",
  "bun",
  "psql",
  "mysql",
  "sqlite3",
  "crontab",
  "at",
  "batch",
]);

/** A shell or interpreter without a script runs what it reads. */
function readsCommands({ words, piped, redirections }: ShellCommand): boolean {
  const name = baseName(words[0]?.text ?? "");
  if (!SHELLS.has(name) && !INTERPRETERS.has(name)) return false;
  const operands = words.slice(1).filter(({ text }) => text === "-" || !text.startsWith("-"));
  const isInput = operands.some(({ text }) => text === "-" || /^\/(?:dev\/(?:stdin|fd\/)|proc\/self\/fd\/)/.test(text));
  const isFed = piped || redirections.some(({ effect }) => effect === "text" || effect === "read");
  return isInput || (operands.length === 0 && (isFed || words.some(({ text }) => text === "-s")));
}

function refuse(code: ReasonCode, text: string): Cover {
  return { covered: false, code, text };
}
