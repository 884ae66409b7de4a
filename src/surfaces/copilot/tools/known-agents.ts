import type { Live } from "../state/live.ts";

/** An agent of the session as its clients and its model know it. */
export interface NamedAgent {
  readonly type: string;
  /** What it was called when it was started, which is its id for everybody outside; its own id where nobody said. */
  readonly name: string;
  readonly toolCallId: string;
  readonly prompt: string;
  readonly isBackground: boolean;
  readonly startedAt: number;
}

const known = new WeakMap<Live, Map<string, NamedAgent>>();

/** By our own ids. */
export function agentsOf(live: Live): Map<string, NamedAgent> {
  const agents = known.get(live) ?? new Map<string, NamedAgent>();
  known.set(live, agents);
  return agents;
}

/** Our id of an agent, whichever of its two is given. */
export function agentIdOf(live: Live, given: string): string {
  return [...agentsOf(live)].findLast(([, { name }]) => name === given)?.[0] ?? given;
}
