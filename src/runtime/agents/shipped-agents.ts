import type { AgentConfig } from "../../config/shape/agent-shape.ts";
import type { SHIPPED_AGENTS } from "../../core/call/shipped-agents.ts";
import { defaultOrigin, type NameList, nameList } from "../../core/codes/origin.ts";

/** The agents of a session: those that ship, unless its configuration has one of the same name, and its own. */
export function withShippedAgents(
  agents: ReadonlyMap<string, AgentConfig>,
  shipped: readonly AgentConfig[] = SHIPPED,
): ReadonlyMap<string, AgentConfig> {
  return new Map([...shipped.map((agent): [string, AgentConfig] => [agent.name, agent]), ...agents]);
}

const READING = nameList(["read", "search", "web_fetch", "think", "todo"]);

export const SHIPPED: readonly AgentConfig[] = [
  ship(
    "explore",
    "looks around in the project and answers a question about it; changes nothing",
    "You look around in a project to answer one question. You change nothing. Search broadly first, then read what matters. Answer with what you found, each with its file and line, and say what you did not find.",
    READING,
  ),
  ship(
    "plan",
    "works out how to do something, step by step; changes nothing",
    "You work out how to do a task and change nothing. Read what is there, then answer with the steps in order: which file, what changes, how to check it. Name what is risky and what you assumed.",
    READING,
  ),
  ship(
    "general",
    "does a task of several steps with all tools",
    "You do one task to its end, with the tools you have. Nobody can be asked: decide, and say what you assumed. Answer with what you did, what you found, and what is left.",
    null,
  ),
];

function ship(
  name: (typeof SHIPPED_AGENTS)[number],
  description: string,
  prompt: string,
  tools: NameList | null,
): AgentConfig {
  return {
    name,
    description,
    prompt,
    tools,
    origin: defaultOrigin,
    disallowedTools: nameList([]),
    denied: [],
    startable: null,
    toolGroups: null,
    model: null,
    defer: { value: "auto", origin: defaultOrigin },
    maxTurns: null,
    worktree: false,
    background: false,
    permissionMode: null,
    hooks: new Map(),
    coordinator: { value: false, origin: defaultOrigin },
    acp: null,
    servers: new Map(),
    skills: nameList([]),
  };
}
