import type { Config } from "../../config/config.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { compileRules, loadPatterns } from "../../core/rules/compile-rules.ts";
import { findIdleRules } from "../../core/rules/idle-rules.ts";
import type { DoctorFinding } from "./finding.ts";

const CODES = { dead: "rule.dead", shadowed: "rule.shadowed", repeated: "rule.repeated" } as const;
const FIXES = {
  dead: "write a rule that can match, or remove it",
  shadowed: "remove one of the two",
  repeated: "remove one of the two",
} as const;

/** Permission rules that can never apply. */
export async function checkRules({ permissions, trust }: Config): Promise<readonly DoctorFinding[]> {
  const { workspace } = trust;
  await loadPatterns(permissions);
  try {
    return findIdleRules(compileRules(permissions, { cwd: workspace, workspace, home: workspace })).map(
      ({ rule, list, kind, text }): DoctorFinding => ({
        level: kind === "repeated" ? "info" : "warning",
        code: CODES[kind],
        text: `permissions.${list}: ${text}`,
        names: [rule.text],
        origin: rule.origin,
        fix: FIXES[kind],
      }),
    );
  } catch (error) {
    if (!isToolcribError(error)) throw error;
    const { code, message: text, names } = error;
    return [{ level: "error", code, text, names, origin: error.origin ?? { kind: "default" }, fix: null }];
  }
}
