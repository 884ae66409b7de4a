/** Names of the agents that every session has. */
export const SHIPPED_AGENTS = ["explore", "plan", "general"] as const;

/** Claude Code's names for them, in its calls and rules. */
export const CLAUDE_AGENTS: ReadonlyMap<string, string> = new Map([
  ["Explore", "explore"],
  ["Plan", "plan"],
  ["general-purpose", "general"],
]);
