import type { Tool } from "../../../core/tool/tool.ts";
import { builtin } from "./builtin.ts";

const agents = async () => (await import("../agents/agent-tools.ts")).createAgentFamily();

const looking = { readOnly: true, idempotent: true, openWorld: false } as const;
const id = { type: "string", description: "The id that task returned" } as const;

/** Tools with which a model delegates to other agents. The calls of these agents are judged one by one. */
export const AGENT_TOOLS = [
  builtin({
    name: "task",
    sets: ["agents", "agent", "Task", "Agent"],
    load: agents,
    claude: ["Task", "Agent"],
    aliases: ["runSubagent", "custom-agent"],
    description:
      "Has an agent do a task of its own and returns its answer. The agent sees nothing of this conversation: put everything it must know into the prompt. Start several at once where their tasks do not depend on each other.",
    inputSchema: {
      type: "object",
      properties: {
        agent: { type: "string", description: "Which agent" },
        name: { type: "string", description: "A short name for it, which becomes its id" },
        prompt: { type: "string", description: "The whole task: what to do, what is known, what to return" },
        description: { type: "string", description: "The task in three to five words" },
        mode: {
          type: "string",
          enum: ["wait", "background"],
          description: "background: returns at once with an id, and you are told when it is over; wait if absent",
        },
      },
      required: ["agent", "prompt", "description"],
    },
    requires: ["agents", "agentModel"],
    // Never started before the model has confirmed it; the calls of its agent are judged then.
    traits: { ...looking, idempotent: false },
  }),
  builtin({
    name: "create_team",
    sets: ["agents"],
    load: agents,
    claude: ["TeamCreate"],
    description:
      "Starts several agents at once in the background, under one name by which all of them can be written to.",
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", description: "What the team is called" },
        members: {
          type: "array",
          minItems: 1,
          maxItems: 8,
          items: {
            type: "object",
            properties: { agent: { type: "string" }, prompt: { type: "string" }, description: { type: "string" } },
            required: ["agent", "prompt", "description"],
          },
        },
      },
      required: ["name", "members"],
    },
    requires: ["agents", "agentModel"],
    internal: "coordinator-only",
    traits: { ...looking, idempotent: false },
  }),
  builtin({
    name: "list_agents",
    sets: ["agents"],
    load: agents,
    description: "Lists the agents that were started, and how they are doing.",
    inputSchema: { type: "object", properties: {} },
    requires: ["agents", "agentModel"],
    traits: looking,
  }),
  builtin({
    name: "read_agent",
    sets: ["agents"],
    load: agents,
    description: "Reads how an agent is doing, and its answer once it is done.",
    inputSchema: {
      type: "object",
      properties: { id, wait: { type: "boolean", description: "Wait until it is done" } },
      required: ["id"],
    },
    requires: ["agents", "agentModel"],
    traits: looking,
  }),
  builtin({
    name: "send_to_agent",
    sets: ["agents"],
    load: agents,
    claude: ["SendMessage"],
    description:
      "Sends a message to an agent or a team that runs; it reads it at its next step, as information and not as an order of the user.",
    inputSchema: {
      type: "object",
      properties: {
        id: { type: "string", description: 'The id that task returned, a team of yours, or "main"' },
        message: { type: "string" },
      },
      required: ["id", "message"],
    },
    requires: ["agents", "agentModel"],
    traits: { ...looking, idempotent: false },
  }),
  builtin({
    name: "stop_agent",
    sets: ["agents"],
    load: agents,
    description: "Stops an agent that runs.",
    inputSchema: { type: "object", properties: { id }, required: ["id"] },
    requires: ["agents", "agentModel"],
    traits: { ...looking, idempotent: true },
  }),
];

export function isAgentTool({ name }: Pick<Tool, "name">): boolean {
  return AGENT_TOOLS.some(({ tool }) => tool.name === name);
}
