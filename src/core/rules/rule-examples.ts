import type { Decision } from "../call/decision.ts";
import type { Origin, Sourced } from "../codes/origin.ts";
import { isRecord } from "../shape/is-record.ts";
import { type CompiledRules, compileRules, type Family, type RuleLists } from "./compile-rules.ts";
import { decide, type Subject } from "./decide.ts";
import type { PathWorld } from "./paths.ts";
import type { Rule } from "./rule.ts";
import type { CommandLine } from "./shell/command-line.ts";

/**
 * A rule with examples of what it means. The example of a shell rule is a command line, of a file rule a path, of an
 * address rule an address, of any other rule the arguments as JSON. A `$ ` in front makes any example a command line.
 */
export interface ExplainedRule {
  readonly rule: Sourced<Rule>;
  readonly list: keyof RuleLists;
  /** Calls that the rule has to decide. */
  readonly match: readonly Sourced<string>[];
  /** Calls that the rule must not match. */
  readonly noMatch: readonly Sourced<string>[];
}

/** An example that contradicts its rule. */
export interface BrokenExample {
  readonly example: string;
  readonly origin: Origin;
  readonly text: string;
}

/** Checks each example against its rule alone: a failing one means that the rule says something else. */
export function findBrokenExamples(
  rules: readonly ExplainedRule[],
  read: (command: string) => CommandLine,
  world: PathWorld,
): readonly BrokenExample[] {
  return rules.flatMap(({ rule, list, match, noMatch }) => {
    const alone = compileRules({ deny: [], ask: [], allow: [], [list]: [rule] }, world);
    const check = ({ value, origin }: Sourced<string>, wanted: boolean): readonly BrokenExample[] => {
      const subject = toSubject(value, alone[list][0]?.family ?? "other", read);
      const said = `${rule.value.text} says that it ${wanted ? "matches" : "does not match"} ${JSON.stringify(value)}`;
      const broken = (why: string): BrokenExample => ({ example: value, origin, text: `${said}, ${why}` });
      if (subject === null) return [broken("which is no JSON object of arguments")];
      const decision = judgeAlone(subject, value, alone, world);
      if ((list === "allow" ? isAllowed(decision) : decision.decision === list && decision.rule !== null) === wanted)
        return [];
      return [broken(`but it decides ${decision.decision}: ${decision.text}`)];
    };
    return [...match.flatMap((one) => check(one, true)), ...noMatch.flatMap((one) => check(one, false))];
  });
}

function judgeAlone(subject: Subject, example: string, alone: CompiledRules, world: PathWorld): Decision {
  const call = {
    toolName: "the tool",
    isMeantBy: () => true,
    subject,
    arguments: subject.kind === "other" ? parseObject(example) : {},
    readOnly: false,
  };
  return decide(call, alone, { ...world, mode: "default", allowReadOnly: false });
}

function isAllowed({ decision }: Decision): boolean {
  return decision === "allow";
}

function toSubject(example: string, family: Family, read: (command: string) => CommandLine): Subject | null {
  if (example.startsWith("$ ")) return { kind: "shell", line: read(example.slice(2)) };
  switch (family) {
    case "shell":
      return { kind: "shell", line: read(example) };
    case "read":
    case "write":
      return { kind: family, paths: [example] };
    case "url":
      return { kind: "url", url: example };
    case "other":
      return parseObject(example) === null ? null : { kind: "other" };
  }
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
