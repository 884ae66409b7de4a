import { type NameList, nameList } from "../../core/codes/origin.ts";
import { splitDenials, withoutSpecifiers } from "../../core/rules/denied-calls.ts";
import { startableOf } from "../../core/rules/named-agents.ts";
import { MODES } from "../../core/scene/scene.ts";
import { agentFields } from "../../core/scene/scene-shapes.ts";
import { choice, flag, map, number, type PresentOf, record, sourcedShape, text, to } from "../../core/shape/shape.ts";
import { hooks } from "./hook-shape.ts";
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
    background: flag({ about: "`task` starts it in the background and does not wait for it", default: false }),
    permissionMode: sourcedShape(
      choice(MODES, {
        about: "the mode of its calls when it works for another agent, unless that one's mode is stricter",
        nullable: true,
      }),
    ),
    hooks,
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

export const agentEntry = to(
  agentShape,
  ({ mcpServers, tools, disallowedTools, skills, ...agent }, { node: { origin } }) => ({
    ...agent,
    origin,
    // `Bash(git log:*)` names the tool, as in a skill; rules judge its calls.
    tools: tools && withoutSpecifiers(tools),
    /** The agents that it may start, as in `Agent(lint, test)`; null for all. */
    startable: startableOf(tools),
    ...toDenials(disallowedTools ?? nameList([], origin)),
    servers: mcpServers ?? new Map<string, PresentOf<typeof serverEntry>>(),
    skills: skills ?? nameList([], origin),
  }),
);
export type AgentConfig = PresentOf<typeof agentEntry>;

function toDenials(list: NameList) {
  const { disallowed: disallowedTools, denied } = splitDenials(list);
  return { disallowedTools, denied };
}
