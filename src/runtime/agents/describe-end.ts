import type { AgentEnd } from "./agent-node.ts";

/** What a model reads about the end of an agent that it started: never the agent's own words. */
export function describeEnd({ agentId, agentType, status }: AgentEnd): string {
  if (status === "stopped") return `Agent "${agentId}" (${agentType}) was stopped before it was done.`;
  const how = status === "completed" ? "has completed successfully" : "has failed";
  return `Agent "${agentId}" (${agentType}) ${how}. read_agent with the id "${agentId}" returns its answer.`;
}
