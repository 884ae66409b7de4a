import type { Live } from "../state/live.ts";
import { loadAgents } from "../tools/given-agents.ts";
import { knownServers } from "../tools/given-servers.ts";
import { changeable } from "./open-live.ts";

/** Servers start when somebody first asks for them, not with the session. */
export async function startServers(live: Live): Promise<void> {
  if (live.serversStarted) return;
  live.serversStarted = true;
  if (Object.keys(knownServers(live)).length > 0) await applyOptions(live);
}

/** Has the session take over its options as they are now. */
export async function applyOptions(live: Live): Promise<void> {
  await loadAgents(live);
  await live.session.updateOptions(changeable(live));
  // What the built-in tools say depends on options too.
  await live.session.refresh();
}
