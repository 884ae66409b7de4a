import type { Entry } from "../catalog/entry.ts";
import { type Gate, hide, pass } from "./gate.ts";

export const EXIT_PLAN = "exit_plan_mode";
export const TASK_COMPLETE = "task_complete";

/** While planning, only tools that promise not to change anything stay in play; two tools belong to one mode each (G3). */
export const modeGate: Gate = {
  name: "mode",
  judge(entry, { mode: { value: mode, origin } }) {
    if (isNamed(entry, EXIT_PLAN) && mode !== "plan") {
      return hide({
        code: "mode.only-plan",
        text: `leaves plan mode, and the mode is ${mode}`,
        origin,
        fix: "use --mode plan",
      });
    }
    if (isNamed(entry, TASK_COMPLETE) && mode !== "autopilot") {
      return hide({
        code: "mode.only-autopilot",
        text: `ends an autopilot run, and the mode is ${mode}`,
        origin,
        fix: "use --mode autopilot",
      });
    }
    if (mode !== "plan" || entry.tool.traits.readOnly || isPlanExit(entry)) return pass;
    return hide({
      code: "mode.not-read-only",
      text: "can change state, and the session is planning",
      origin,
      fix: "leave plan mode, or declare the tool readOnly if it changes nothing",
    });
  },
};

/** An MCP tool that calls itself so is another tool: it has its server in front. */
function isNamed({ tool }: Entry, name: string): boolean {
  return tool.name === name && tool.source !== "mcp";
}

/** Only the real thing, or what openly replaces it, may pass as the way out of planning. */
function isPlanExit(entry: Entry): boolean {
  return (
    isNamed(entry, EXIT_PLAN) &&
    (entry.tool.source === "builtin" || (entry.tool.source === "external" && entry.tool.overridesBuiltInTool))
  );
}
