import { nameList } from "../../core/codes/origin.ts";
import { agentFields } from "../../core/scene/scene-shapes.ts";
import { flag, map, number, type PresentOf, record, text, to } from "../../core/shape/shape.ts";
import { acpEntry, serverEntry } from "./server-shape.ts";

/**
 * A custom agent, in a file's `agents` and in the front matter of an agent file. Of an untrusted project agent, the
 * lists count when it is selected: its prompt, model, skills and servers wait.
 */
export const agentShape = record(
  {
    name: text({ about: "the name for `agent` and `--agent`", required: true }),
    ...agentFields,
    acp: acpEntry,
    maxTurns: number(1, { about: "requests that it may make when it works for another agent; 100 if absent" }),
    worktree: flag({ about: "it works in a git worktree of its own when it works for another agent", default: false }),
    mcpServers: map(serverEntry, { about: "servers only it has, in the shape of `mcpServers`" }),
  },
  {
    trust: {
      what: "agent",
      keeps: ["name", "tools", "disallowedTools", "toolGroups"],
      atOnce:
        "`name`, `tools`, `disallowedTools` and `toolGroups` of an agent that is neither yours nor shipped: they limit the session that selects it",
    },
  },
);

export const agentEntry = to(agentShape, ({ mcpServers, disallowedTools, skills, ...agent }, { node: { origin } }) => ({
  ...agent,
  origin,
  servers: mcpServers ?? new Map<string, PresentOf<typeof serverEntry>>(),
  disallowedTools: disallowedTools ?? nameList([], origin),
  skills: skills ?? nameList([], origin),
}));
export type AgentConfig = PresentOf<typeof agentEntry>;
