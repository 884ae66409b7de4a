/** Names of the agents that every session has. */
export const SHIPPED_AGENTS = ["explore", "plan", "general"] as const;
