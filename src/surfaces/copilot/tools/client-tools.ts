import type { ExternalTool } from "../../../sources/external/external-source.ts";
import type { Live } from "../state/live.ts";
import { type Json, stated, textOf } from "../wire/wire-values.ts";

/** The tools of all clients together; one name is one tool, and the client that came first defines it. */
export function toolsOf(live: Live): readonly ExternalTool[] {
  const byName = new Map<string, Json>();
  for (const { tools } of live.clients.values())
    for (const tool of tools) {
      const name = textOf(tool.name);
      if (name !== undefined && !byName.has(name)) byName.set(name, tool);
    }
  return [...byName].map(([name, tool]) =>
    stated({
      name,
      description: textOf(tool.description) ?? "",
      parameters: tool.parameters ?? { type: "object", properties: {} },
      defer: tool.defer === "never" ? ("never" as const) : ("auto" as const),
      overridesBuiltInTool: tool.overridesBuiltInTool === true,
      skipPermission: tool.skipPermission === true,
      isTerminal: tool.isTerminal === true,
    }),
  );
}

/** What is wrong with the tools of a client; null where nothing is. */
export function clashOf(tools: readonly Json[], builtins: readonly string[]): string | null {
  const clash = tools.find(
    ({ name, overridesBuiltInTool }) => builtins.includes(String(name)) && overridesBuiltInTool !== true,
  );
  if (clash === undefined) return null;
  return `External tool "${String(clash.name)}" conflicts with a built-in tool of the same name. Set overridesBuiltInTool: true to replace it.`;
}
