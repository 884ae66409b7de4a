import { loadPatterns } from "../core/rules/compile-rules.ts";
import type { PathWorld } from "../core/rules/paths.ts";
import { findBrokenExamples } from "../core/rules/rule-examples.ts";
import type { CommandLine } from "../core/rules/shell/command-line.ts";
import { noProblems, report, throwProblems } from "../core/shape/problems.ts";
import type { Config } from "./config.ts";

/** Loads the reader of command lines; called only if a rule has examples. */
export type LoadCommandReader = () => Promise<(command: string) => CommandLine>;

/** Checks every rule against its own examples; all failures come as one error, with their lines. */
export async function checkRuleExamples(
  { permissions }: Pick<Config, "permissions">,
  places: Pick<PathWorld, "workspace" | "home">,
  load: LoadCommandReader | undefined,
): Promise<void> {
  const explained = (["deny", "ask", "allow"] as const).flatMap((list) =>
    permissions[list].flatMap(({ match = [], noMatch = [], ...rule }) =>
      match.length + noMatch.length === 0 ? [] : [{ rule, list, match, noMatch }],
    ),
  );
  if (explained.length === 0) return;
  if (load === undefined) throw new Error("rules have examples, and there is no reader of command lines");
  const world: PathWorld = { ...places, cwd: places.workspace, readLink: () => null };
  await loadPatterns(permissions);
  const broken = findBrokenExamples(explained, await load(), world);
  const problems = noProblems();
  for (const { example, origin, text } of broken)
    report(problems, () => ({ code: "rule.invalid", name: example, origin, what: text }));
  throwProblems(problems);
}
