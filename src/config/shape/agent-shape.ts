import { nameList } from "../../core/codes/origin.ts";
import { choice, flag, map, names, type PresentOf, record, sourced, text, to } from "../../core/shape/shape.ts";
import { DEFERRALS } from "../../core/tool/tool.ts";
import { serverEntry } from "./server-shape.ts";

/**
 * A custom agent, in a file's `agents` and in the front matter of an agent file. Of a project's agent that nobody
 * trusts, its lists count for whoever selects it: its words, model, skills and servers wait.
 */
export const agentShape = record(
  {
    name: text({ about: "the name for `agent` and `--agent`", required: true }),
    description: text({ about: "what it is for", blank: true }),
    prompt: text({ about: "text for the system prompt", blank: true }),
    tools: names({ about: 'the tools it gets; `["*"]` or nothing is all', nullable: true }),
    disallowedTools: names({ about: "tools it never gets" }),
    toolGroups: names({ about: "groups it may use", nullable: true }),
    mcpServers: map(serverEntry, { about: "servers only it has, in the shape of `mcpServers`" }),
    skills: names({ about: "skills that are active from the start" }),
    model: sourced(text({ about: "the model it uses", nullable: true })),
    defer: sourced(choice(DEFERRALS, { about: "whether the tools it names may be deferred", default: "auto" })),
    coordinator: sourced(
      flag({ about: "it directs other agents, and gets tools marked `coordinator-only`", default: false }),
    ),
  },
  { trust: { what: "agent", keeps: ["name", "tools", "disallowedTools", "toolGroups"] } },
);

export const agentEntry = to(agentShape, ({ mcpServers, disallowedTools, skills, ...agent }, { node: { origin } }) => ({
  ...agent,
  origin,
  servers: mcpServers ?? new Map<string, PresentOf<typeof serverEntry>>(),
  disallowedTools: disallowedTools ?? nameList([], origin),
  skills: skills ?? nameList([], origin),
}));
export type AgentConfig = PresentOf<typeof agentEntry>;
