import type { ExternalTool } from "../../../sources/external/external-source.ts";
import type { SessionCore } from "../state/session-core.ts";
import type { ClientTool } from "../wire/client-options.ts";

/**
 * Built-in tools that these clients' models know; all others of ours stay hidden. So do `plan` and `session_files`: the
 * plan and the files of such a session are in its state folder, for the model's file tools and the client alike.
 */
export const COPILOT_BUILTINS = [
  ...["bash", "read_bash", "write_bash", "stop_bash", "list_bash", "view", "create", "edit", "apply_patch"],
  ...["web_fetch", "skill", "sql", "read_agent", "list_agents", "grep", "glob", "task", "ask_user", "exit_plan_mode"],
  ...["task_complete", "send_to_agent", "stop_agent"],
];

/** Those that are there where files set up what they need, unless an app has its own of that name. */
export const CONFIGURED_BUILTINS = ["web_search", "store_memory", "recall_memory", "manage_schedule"];

/** The tools of all clients together; one name is one tool, and the client that came first defines it. */
export function clientTools({ clients }: SessionCore): readonly ExternalTool[] {
  const byName = new Map<string, ClientTool>();
  for (const { tools } of clients.values())
    for (const tool of tools) if (tool.name !== undefined && !byName.has(tool.name)) byName.set(tool.name, tool);
  return [...byName].map(([name, tool]) => ({
    name,
    description: tool.description ?? "",
    parameters: tool.parameters ?? { type: "object", properties: {} },
    defer: tool.defer === "never" ? "never" : "auto",
    overridesBuiltInTool: tool.overridesBuiltInTool === true,
    skipPermission: tool.skipPermission === true,
    isTerminal: tool.isTerminal === true,
  }));
}

/** Throws where a client's tool hides a built-in one without saying so. */
export function checkTools(tools: readonly ClientTool[]): void {
  const clash = tools.find(
    ({ name, overridesBuiltInTool }) => COPILOT_BUILTINS.includes(name ?? "") && overridesBuiltInTool !== true,
  );
  if (clash !== undefined)
    throw new Error(
      `External tool "${clash.name}" conflicts with a built-in tool of the same name. Set overridesBuiltInTool: true to replace it.`,
    );
}
