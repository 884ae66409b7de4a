import type { Config } from "../../config/config.ts";
import type { AgentConfig } from "../../config/shape/agent-shape.ts";
import { nameList, type Origin, sourced } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Limit, Mode } from "../../core/scene/scene.ts";
import { unknownAgent } from "../../core/scene/unknown-agent.ts";
import { AGENT_TOOL_NAMES, toBuiltinName } from "../../sources/builtin/definitions.ts";
import { DEEPEST } from "./agent-tree.ts";
import { withShippedAgents } from "./shipped-agents.ts";

const TASK: Origin = { kind: "call", call: "task" };

/** Milliseconds that starting servers get before an agent begins without them. */
export const PATIENCE = 10_000;

/** Tools that a child agent never has, whatever lists name them: it must not change its parent's mode. */
const NEVER_BELOW = ["exit_plan_mode"];
/** Tools that it has only if its own list names them, or if it directs others. */
const SELDOM_BELOW = [...AGENT_TOOL_NAMES, "ask_user"];

interface ChildWish {
  /** Who wants it. */
  readonly origin?: Origin;
  readonly shipped?: readonly AgentConfig[] | undefined;
  /** The model that it is asked with, in place of its own. */
  readonly model?: string | undefined;
}

/** The configuration of a subagent, and its agent. */
export interface ChildConfig {
  readonly config: Config;
  readonly agent: AgentConfig;
}

/**
 * The configuration in which an agent works for another one: the parent's filters, rules, mode and limits apply, and
 * its own lists narrow further (A4). The parent's own list also applies to its children, unless the parent directs
 * others: then its list is about what it does itself.
 */
export function toChildConfig(
  parent: Config,
  name: string,
  depth: number,
  { origin = TASK, shipped, model }: ChildWish = {},
): ChildConfig {
  const agents = withShippedAgents(parent.agents, shipped);
  const known = agents.get(name);
  if (known === undefined)
    throw unknownAgent(sourced(name, origin), [...agents.keys()], `there are ${[...agents.keys()].join(", ")}`, "");
  const agent = model === undefined ? known : { ...known, model: sourced(model, origin) };
  const above = parent.agent === null ? undefined : agents.get(parent.agent.value);
  return {
    agent,
    config: {
      ...parent,
      agents: new Map([...agents, [name, agent]]),
      agent: { value: name, origin },
      permissions: withRules(withMode(parent.permissions, agent), above),
      startable: [...(parent.startable ?? []), ...(isLimiting(above) && above.startable ? [above.startable] : [])],
      toolGroups: narrowGroups(parent.toolGroups, above),
      limits: [
        ...parent.limits,
        ...handedDown(above, agent, parent),
        { ...topLevelOnly(agent, depth), by: "subagent" },
      ],
      isSubagent: true,
    },
  };
}

/** Strictest first. */
const MODES_BY_STRICTNESS: readonly Mode[] = ["plan", "dont-ask", "default", "accept-edits", "autopilot", "bypass"];

export function isStricter(mode: Mode, other: Mode): boolean {
  return MODES_BY_STRICTNESS.indexOf(mode) < MODES_BY_STRICTNESS.indexOf(other);
}

/** An agent's own mode never gives it more than its parent has (B3). */
function withMode(permissions: Config["permissions"], { permissionMode: own }: AgentConfig): Config["permissions"] {
  if (own === null || !isStricter(own.value, permissions.mode.value)) return permissions;
  return { ...permissions, mode: own };
}

/** Calls that a parent may not make, its agents may not make for it. */
function withRules(permissions: Config["permissions"], above: AgentConfig | undefined): Config["permissions"] {
  if (!isLimiting(above) || above.denied.length === 0) return permissions;
  return { ...permissions, deny: [...permissions.deny, ...above.denied] };
}

function isLimiting(above: AgentConfig | undefined): above is AgentConfig {
  return above !== undefined && !above.coordinator.value;
}

function handedDown(above: AgentConfig | undefined, agent: AgentConfig, parent: Config): readonly Limit[] {
  if (!isLimiting(above)) return [];
  const { tools, disallowedTools } = above;
  // Its own servers come with it; no list of the parent could have named them.
  const own = [...agent.servers.keys()].filter((server) => !parent.servers.has(server)).map((server) => `${server}/*`);
  const include = tools === null ? null : { ...tools, value: [...tools.value, ...nameList(own, agent.origin).value] };
  return [{ include, exclude: disallowedTools, by: "parent" }];
}

/** Groups that both the session and the parent may use; null for all. */
function narrowGroups(groups: Config["toolGroups"], above: AgentConfig | undefined): Config["toolGroups"] {
  if (!isLimiting(above) || above.toolGroups === null) return groups;
  const own = above.toolGroups;
  if (groups === null) return own;
  const known = new Set(groups.value.map(({ value }) => value));
  const narrows = [...(groups.narrows ?? [groups]), own];
  return { ...own, value: own.value.filter(({ value }) => known.has(value)), narrows };
}

function topLevelOnly({ tools, coordinator }: AgentConfig, depth: number): Pick<Limit, "include" | "exclude"> {
  const named = new Set(tools?.value.map(({ value }) => toBuiltinName(value)) ?? []);
  const mayStart = depth < DEEPEST;
  const keeps = (tool: string): boolean =>
    (named.has(tool) || (coordinator.value && tool !== "ask_user")) && (mayStart || !STARTING.has(tool));
  return { include: null, exclude: nameList([...SELDOM_BELOW.filter((tool) => !keeps(tool)), ...NEVER_BELOW], TASK) };
}

/** Left out at the lowest level, where no agent can be started. */
const STARTING: ReadonlySet<string> = new Set(["task", "create_team"]);

/** An agent whose tools all do not exist would only waste a run (A5). */
export function noneOf(whose: string, tools: readonly string[]): ToolcribError {
  return new ToolcribError("filter.no-tools", `${whose} has none of its tools here: ${tools.join(", ")}`, {
    names: tools,
  });
}
