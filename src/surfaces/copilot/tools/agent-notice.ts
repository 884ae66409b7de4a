import type { Live } from "../state/live.ts";
import { agentsOf } from "./known-agents.ts";

/** How Toolcrib itself tells that an agent of the background is done. */
export const OVER = /^<system_notification>\nAgent "([^"]*)" \(([^)]*)\) has (\w+)/;

/** The same as these clients' models know it. */
export function agentNotice(id: string, isCompleted: boolean, live: Live): string {
  const { type = "general-purpose", name = id } = agentsOf(live).get(id) ?? {};
  const how = isCompleted ? "has completed successfully" : "has failed";
  return `<system_notification>\nAgent "${name}" (${type}) ${how}. Use read_agent with agent_id "${name}" to retrieve the full results.\n</system_notification>`;
}
