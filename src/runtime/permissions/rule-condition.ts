import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { compileRules, loadPatterns } from "../../core/rules/compile-rules.ts";
import { decide } from "../../core/rules/decide.ts";
import { parseRule } from "../../core/rules/rule.ts";
import { readCallSubject } from "./call-subject.ts";
import { readLink } from "./read-link.ts";
import type { RuledCall, RuleSetting } from "./ruling.ts";

/**
 * Whether a permission rule matches a call, read as broadly as a deny rule. A rule that cannot be parsed matches: its
 * author wants to look at the call.
 */
export async function isMeantByRule(text: string, prepared: RuledCall, setting: RuleSetting): Promise<boolean> {
  const { tool, args, call } = prepared;
  const { workspace, added, home, aliases = [] } = setting;
  const { subject, cwd } = await readCallSubject(tool, args, workspace);
  if (subject.kind === "typed" || (subject.kind === "shell" && subject.line.problems.length > 0)) return true;
  const world = { cwd, home, workspace, added, aliases, readLink };
  try {
    const origin = { kind: "default" } as const;
    const deny = [{ value: parseRule(text, origin), origin }];
    const judged = {
      toolName: call.toolName,
      isMeantBy: (identifier: string) => setting.means(identifier, prepared, "broadly"),
      subject,
      arguments: args,
      readOnly: false,
    };
    const lists = { deny, ask: [], allow: [] };
    await loadPatterns(lists);
    const rules = compileRules(lists, { ...world, cwd: workspace });
    return decide(judged, rules, { ...world, mode: "default", allowReadOnly: false }).decision === "deny";
  } catch (error) {
    if (isToolcribError(error)) return true;
    throw error;
  }
}
