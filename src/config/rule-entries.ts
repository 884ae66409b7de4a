import type { Sourced } from "../core/codes/origin.ts";
import type { PathWorld } from "../core/rules/paths.ts";
import { parseRule, type Rule } from "../core/rules/rule.ts";
import { findBrokenExamples } from "../core/rules/rule-examples.ts";
import type { CommandLine } from "../core/rules/shell/command-line.ts";
import { type Problem, throwProblems } from "./check-shape.ts";
import { type ConfigNode, type MapNode, nodeAt } from "./config-node.ts";
import { itemsAt, readNames, readText } from "./read-node.ts";

/** Loads what reads command lines; asked for only when a rule carries examples. */
export type LoadCommandReader = () => Promise<(command: string) => CommandLine>;

/** Rules as `permissions.allow` and its neighbours write them: text, or a map with examples. */
export function toRules(node: ConfigNode | undefined): readonly Sourced<Rule>[] {
  return itemsAt(node).flatMap((item) => {
    const text = ruleText(item);
    return text === null ? [] : [{ ...text, value: parseRule(text.value, text.origin) }];
  });
}

/** Holds every rule to its own examples; all that do not fit come as one error, with their lines. */
export async function checkRuleExamples(
  root: MapNode,
  places: Pick<PathWorld, "workspace" | "home">,
  load: LoadCommandReader | undefined,
): Promise<void> {
  const explained = (["deny", "ask", "allow"] as const).flatMap((list) =>
    itemsAt(root, "permissions", list).flatMap((item) => {
      const [match, noMatch] = [examplesOf(item, "match"), examplesOf(item, "noMatch")];
      const [rule] = match.length + noMatch.length === 0 ? [] : toRules({ ...LIST, items: [item] });
      return rule === undefined ? [] : [{ rule, list, match, noMatch }];
    }),
  );
  if (explained.length === 0) return;
  if (load === undefined) throw new Error("rules carry examples, and nobody brought what reads command lines");
  const world: PathWorld = { ...places, cwd: places.workspace, readLink: () => null };
  const broken = findBrokenExamples(explained, await load(), world);
  throwProblems(
    broken.map(({ example, origin, text }): Problem => ({ code: "rule.invalid", name: example, origin, text })),
  );
}

const LIST = { kind: "list", origin: { kind: "default" } } as const;

function ruleText(item: ConfigNode): Sourced<string> | null {
  return readText(item.kind === "map" ? nodeAt(item, "rule") : item);
}

function examplesOf(item: ConfigNode, key: "match" | "noMatch"): readonly Sourced<string>[] {
  return readNames(nodeAt(item, key))?.value ?? [];
}
