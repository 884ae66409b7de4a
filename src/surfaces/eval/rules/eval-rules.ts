import type { Decision } from "../../../core/call/decision.ts";
import { type Origin, type Sourced, sourced } from "../../../core/codes/origin.ts";
import { compileRules, loadPatterns, type RuleLists } from "../../../core/rules/compile-rules.ts";
import { decide } from "../../../core/rules/decide.ts";
import { confine, fromSymlinks } from "../../../core/rules/paths.ts";
import { parseRule, type Rule } from "../../../core/rules/rule.ts";
import { createShellReader } from "../../../system/shell/read-command-line.ts";
import { createStopwatch } from "../stopwatch.ts";
import { type RuleCase, toRuleCase } from "./rule-case.ts";

interface RuleCounts {
  readonly cases: number;
  readonly right: number;
  /** Allowed although neither `expect` nor `accept` has it. */
  readonly escapes: number;
  /** Asked although it had to be denied. */
  readonly denyWeakened: number;
  /** Not allowed although it had to be. */
  readonly overBlocked: number;
}

/** How the decisions compare with what the cases expect. */
export interface RuleSummary extends RuleCounts {
  readonly wrong: readonly string[];
  /** The same by category of the cases; empty if they have none. */
  readonly categories: Readonly<Record<string, RuleCounts>>;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

interface RuleEvaluation {
  readonly text: string;
  /** For messages about a line that cannot be read. */
  readonly file: string;
  readonly now: () => number;
  readonly onDecision: (id: string, decision: Decision) => void;
}

/** The world of every case; its rules stand alone unless the case says that reading needs none. */
const WORLD = { cwd: "/home/dev/project", workspace: "/home/dev/project", home: "/home/dev" } as const;

/** What a sandbox of this world shows in addition to the workspace. */
const SHOWN = ["/usr", "/bin", "/lib", "/opt", "/etc"];

/** `eval rules`: decides every case of a file. */
export async function evalRules({ text, file, now, onDecision }: RuleEvaluation): Promise<RuleSummary> {
  const cases = text
    .split("\n")
    .map((line, at) => ({ line, where: `${file}:${at + 1}` }))
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, where }) => ({ one: toRuleCase(line, where), where }));
  const { read } = await createShellReader();
  for (const { one, where } of cases) await loadPatterns(toLists(one, where));
  const watch = createStopwatch(now);
  const judged = cases.map(({ one, where }): Judged => {
    const decision = watch.time(() => decideCase(one, where, read));
    onDecision(one.id, decision);
    return { one, decision: decision.decision };
  });
  const names = [...new Set(cases.map(({ one }) => one.category))].filter((name) => name !== "").sort();
  return {
    ...count(judged),
    wrong: judged.filter(isWrong).map(({ one }) => one.id),
    categories: Object.fromEntries(
      names.map((name) => [name, count(judged.filter(({ one }) => one.category === name))]),
    ),
    ...watch.quantiles(),
  };
}

interface Judged {
  readonly one: RuleCase;
  readonly decision: Decision["decision"];
}

function isWrong({ one, decision }: Judged): boolean {
  return decision !== one.expect && !one.accept.includes(decision);
}

function count(judged: readonly Judged[]): RuleCounts {
  const wrong = judged.filter(isWrong);
  return {
    cases: judged.length,
    right: judged.length - wrong.length,
    escapes: wrong.filter(({ decision }) => decision === "allow").length,
    denyWeakened: wrong.filter(({ one, decision }) => one.expect === "deny" && decision === "ask").length,
    overBlocked: wrong.filter(({ one, decision }) => one.expect === "allow" && decision !== "allow").length,
  };
}

function decideCase(
  one: RuleCase,
  where: string,
  read: Awaited<ReturnType<typeof createShellReader>>["read"],
): Decision {
  const readLink = fromSymlinks(one.symlinks, WORLD.workspace);
  const world = { ...WORLD, readLink, ...(one.sandbox ? { confinement: confine(WORLD, () => SHOWN) } : {}) };
  const rules = compileRules(toLists(one, where), world);
  const call = {
    toolName: "bash",
    isMeantBy: () => false,
    subject: { kind: "shell", line: read(one.command) },
    arguments: { command: one.command },
    readOnly: false,
  } as const;
  return decide(call, rules, { ...world, mode: "default", allowReadOnly: one.readOnlyDefault });
}

function toLists({ id, rules: { deny, ask, allow } }: RuleCase, where: string): RuleLists {
  const origin: Origin = { kind: "world", file: where, path: id };
  const toRules = (texts: readonly string[]): readonly Sourced<Rule>[] =>
    texts.map((text) => sourced(parseRule(text, origin), origin));
  return { deny: toRules(deny), ask: toRules(ask), allow: toRules(allow) };
}
