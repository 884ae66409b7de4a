import type { Origin, Sourced } from "../codes/origin.ts";
import { formatOrigin } from "../codes/origin.ts";
import { ToolcribError } from "../codes/toolcrib-error.ts";
import { type CompiledRules, compileRules, type RuleLists } from "./compile-rules.ts";
import type { PathWorld } from "./paths.ts";
import { parseRule, type Rule } from "./rule.ts";
import type { CommandLine } from "./shell/command-line.ts";
import { judgeShell } from "./shell/judge-shell.ts";

/** A rule that says of itself what it means. */
export interface ExplainedRule {
  readonly rule: Sourced<Rule>;
  readonly list: keyof RuleLists;
  /** Commands that the rule has to decide. */
  readonly match: readonly string[];
  /** Commands that it has to leave alone. */
  readonly noMatch: readonly string[];
}

/** Reads `"Bash(x:*)"` or `{ rule, match, noMatch }`, as a rule file writes them. */
export function toExplainedRule(value: unknown, list: keyof RuleLists, origin: Origin): ExplainedRule {
  const written = typeof value === "string" ? { rule: value } : value;
  if (typeof written !== "object" || written === null || !("rule" in written) || typeof written.rule !== "string")
    throw wrong(origin, 'a rule is text, or an object with "rule" and, if wanted, "match" and "noMatch"');
  const texts = (name: "match" | "noMatch"): readonly string[] => {
    const found: unknown = Reflect.get(written, name) ?? [];
    if (Array.isArray(found) && found.every((one) => typeof one === "string")) return found;
    throw wrong(origin, `"${name}" has to be a list of commands`);
  };
  return {
    rule: { value: parseRule(written.rule, origin), origin },
    list,
    match: texts("match"),
    noMatch: texts("noMatch"),
  };
}

/** Holds each example against its rule alone; the first that does not fit is an error, because the rule means something else. */
export function checkExamples(
  rules: readonly ExplainedRule[],
  read: (command: string) => CommandLine,
  world: PathWorld,
): void {
  for (const { rule, list, match, noMatch } of rules) {
    const alone = compileRules({ deny: [], ask: [], allow: [], [list]: [rule] }, world);
    const missed = match.find((command) => !isDecided(read(command), list, alone, world));
    const caught = noMatch.find((command) => isDecided(read(command), list, alone, world));
    const text = rule.value.text;
    if (missed !== undefined)
      throw wrong(rule.origin, `${text} does not match ${JSON.stringify(missed)}, and says that it does`);
    if (caught !== undefined)
      throw wrong(rule.origin, `${text} matches ${JSON.stringify(caught)}, and says that it does not`);
  }
}

function isDecided(line: CommandLine, list: keyof RuleLists, alone: CompiledRules, world: PathWorld): boolean {
  const findings = judgeShell(line, alone, world);
  return list === "allow"
    ? findings.every(({ decision }) => decision === "allow")
    : findings.some(({ rule }) => rule !== null);
}

function wrong(origin: Origin, text: string): ToolcribError {
  return new ToolcribError("rule.invalid", `${formatOrigin(origin)}: ${text}`, { origin });
}
