import { formatOrigin } from "../codes/origin.ts";
import type { Builtins, HostNeed, Scene } from "../scene/scene.ts";
import { isBuiltin, type Tool } from "../tool/tool.ts";
import { type AnyGate, hide, pass } from "./gate.ts";
import { EXIT_PLAN, TASK_COMPLETE } from "./mode.ts";

/** Hides built-ins that were not chosen. Tools that come with a handler or a mode are left to other gates. */
export const builtinsGate = {
  name: "builtins",
  judge({ off, tool }, { builtins: { which, setting, origin } }) {
    if (!off || isFramework(tool)) return pass;
    const place = origin.kind === "default" ? "" : ` (${formatOrigin(origin)})`;
    return hide({
      code: "builtin.off",
      text: which === "off" ? "built-in tools are off here" : `${setting} does not choose this built-in tool`,
      origin,
      fix:
        typeof which === "string"
          ? `set ${setting} to ["${tool.name}"], or to "all"${place}`
          : `add "${tool.name}" to ${setting}${place}`,
    });
  },
} as const satisfies AnyGate;

/**
 * Whether a tool is a built-in that is off. Such a tool stays in the catalog, so that it can be explained, and owns no
 * name (N5, N7, N9).
 */
export function findOff(scene: Pick<Scene, "builtins" | "host" | "mode">): (tool: Tool) => boolean {
  const { which } = scene.builtins;
  if (which === "all") return () => false;
  return (tool) => isBuiltin(tool) && !isChosen(tool, which) && !isWanted(tool, scene);
}

/** What a program gives a session on purpose; a workspace always exists. */
const HANDLED: readonly HostNeed[] = ["userInput", "elicitation", "memory", "skills", "schedule"];

const MODE_TOOLS: ReadonlyMap<string, string> = new Map([
  [EXIT_PLAN, "plan"],
  [TASK_COMPLETE, "autopilot"],
]);

/** Listed by a session only when they are useful. */
const SESSION_TOOLS: ReadonlySet<string> = new Set(["tool_search", "read_result"]);

function isChosen({ name, traits }: Tool, which: Exclude<Builtins["which"], "all">): boolean {
  if (which === "off") return false;
  return which === "read" ? traits.readOnly && !traits.hostShell && !traits.openWorld : which.has(name);
}

/** Tools that come with a host capability or a mode regardless of the choice; their own gates say what they need. */
function isFramework({ name, requires }: Tool): boolean {
  return MODE_TOOLS.has(name) || SESSION_TOOLS.has(name) || HANDLED.some((need) => requires.includes(need));
}

function isWanted(tool: Tool, { host, mode }: Pick<Scene, "host" | "mode">): boolean {
  if (!isFramework(tool)) return false;
  const only = MODE_TOOLS.get(tool.name);
  if (only !== undefined && only !== mode.value) return false;
  return HANDLED.every((need) => !tool.requires.includes(need) || host[need].value);
}
