import { fromThrown } from "../../core/call/tool-result.ts";
import { objectOf } from "../../core/shape/json-value.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { AgentsPort, KnownAgent } from "../agents-port.ts";
import { CONNECTED, IN_PROCESS, type Source } from "../source.ts";
import { AGENT_HANDLERS, toKnownName } from "./agents/agent-tools.ts";
import { AGENT_TOOLS } from "./definitions/agents.ts";
import { fail } from "./parts/results.ts";

/** `task` and its companions, for a session that runs agents. Their calls take no slot and have limits of their own. */
export function createAgentSource(agents: AgentsPort): Source {
  let listed: { readonly key: string; readonly tools: readonly Tool[] } | null = null;
  const list = (): readonly Tool[] => {
    const known = agents.known();
    const key = JSON.stringify(known);
    if (listed?.key !== key) listed = { key, tools: AGENT_TOOLS.map(({ tool }) => withAgents(tool, known)) };
    return listed.tools;
  };
  return {
    kind: "builtin",
    name: "agents",
    status: CONNECTED,
    manner: { ...IN_PROCESS, slack: null, queue: "never" },
    list: async () => list(),
    coerce: ({ name }, args) => (name === "task" ? { ...args, agent: toKnownName(args.agent, agents) } : args),
    async run({ name }, args, context) {
      const handler = AGENT_HANDLERS.get(name);
      if (handler === undefined) return fail(`The built-in tool ${name} cannot be run here.`);
      try {
        return await handler(args, context, agents);
      } catch (error) {
        if (context.signal.aborted) return fail(`${name} was stopped before it was done.`);
        return error instanceof Error ? fail(error.message) : fromThrown(error);
      }
    },
    changes: () => () => {},
    close: async () => {},
  };
}

/** `task` with the names of the available agents, so that a model can choose among them; other tools as they are. */
export function withAgents(tool: Tool, known: readonly KnownAgent[]): Tool {
  if (tool.name !== "task") return tool;
  const lines = known.map(({ name, description }) => `- ${name}: ${description}`);
  const schema = objectOf(tool.inputSchema);
  const properties = objectOf(schema.properties);
  const names = known.length === 0 ? {} : { enum: known.map(({ name }) => name) };
  const agent = { ...objectOf(properties.agent), ...names };
  const listed = known.length === 0 ? "There is no agent that can be started." : `The agents:\n${lines.join("\n")}`;
  return {
    ...tool,
    description: `${tool.description}\n\n${listed}`,
    inputSchema: { ...schema, properties: { ...properties, agent } },
  };
}
