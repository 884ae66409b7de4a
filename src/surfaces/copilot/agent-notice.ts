import type { Live } from "./live.ts";
import { textOf } from "./wire-values.ts";

/** How Toolcrib itself tells that an agent of the background is done. */
export const OVER = /^<system_notification>\nAgent "([^"]*)" \(([^)]*)\) has (\w+)/;

/** The same as these clients' models know it. */
export function agentNotice(id: string, live: Live): string {
  const type = textOf(live.facts.get(`agent type ${id}`)) ?? "general-purpose";
  const name = textOf(live.facts.get(`agent name ${id}`)) ?? id;
  return `<system_notification>\nAgent "${name}" (${type}) has completed successfully. Use read_agent with agent_id "${name}" to retrieve the full results.\n</system_notification>`;
}
