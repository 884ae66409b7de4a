import type { Entry } from "../catalog/entry.ts";
import { formatOrigin, type Origin } from "../codes/origin.ts";
import type { Mode, Scene } from "../scene/scene.ts";
import { isBuiltin, standsForBuiltin } from "../tool/tool.ts";
import { type AnyGate, hide, pass } from "./gate.ts";

export const EXIT_PLAN = "exit_plan_mode";
export const TASK_COMPLETE = "task_complete";

/** In plan mode only tools that promise to change nothing stay; two tools belong to one mode each (G3). */
export const modeGate = {
  name: "mode",
  judge(entry, { mode: { value: mode, origin } }) {
    if (isModeTool(entry, EXIT_PLAN) && mode !== "plan") {
      return hide({
        code: "mode.only-plan",
        text: `leaves plan mode, and the mode is ${mode}`,
        origin,
        fix: toMode("plan", origin),
      });
    }
    if (isModeTool(entry, TASK_COMPLETE) && mode !== "autopilot") {
      return hide({
        code: "mode.only-autopilot",
        text: `ends an autopilot run, and the mode is ${mode}`,
        origin,
        fix: toMode("autopilot", origin),
      });
    }
    if (mode !== "plan" || entry.tool.traits.readOnly || isModeTool(entry, EXIT_PLAN)) return pass;
    return hide({
      code: "mode.not-read-only",
      text: "can change state, and the session is planning",
      origin,
      fix: `leave plan mode: ${toMode("default", origin)}${promise(entry)}`,
    });
  },
} as const satisfies AnyGate;

/** Names the place where the mode is set now: a value anywhere else would be overridden. */
function toMode(mode: Mode, origin: Origin): string {
  switch (origin.kind) {
    case "flag":
      return `use ${origin.flag} ${mode}`;
    case "default":
      return `use --mode ${mode}, or set permissions.mode: ${mode}`;
    case "file":
      return `set permissions.mode: ${mode} (${formatOrigin(origin)})`;
    default:
      return `set the mode to ${mode} (${formatOrigin(origin)})`;
  }
}

/** The effects of built-in tools are known. */
function promise({ id, tool }: Entry): string {
  return isBuiltin(tool) ? "" : `, or set toolOverrides."${id}".traits.readOnly: true if it changes nothing`;
}

/** The built-in itself, or what openly replaces it. Any other tool of that name belongs to no mode and ends none. */
function isModeTool({ tool }: Entry, name: string): boolean {
  return tool.name === name && standsForBuiltin(tool);
}

/** An agent that lists its tools still gets the one that ends the mode it runs in. */
export function isSupport(entry: Entry, { mode: { value: mode } }: Pick<Scene, "mode">): boolean {
  return (
    (mode === "plan" && isModeTool(entry, EXIT_PLAN)) || (mode === "autopilot" && isModeTool(entry, TASK_COMPLETE))
  );
}
