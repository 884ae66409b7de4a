import { join } from "node:path";
import type { Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, isEmpty, isNull, type MapNode, mapNode, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, readFlag, readNumber, readText } from "../../core/shape/read-node.ts";
import { showPath } from "../layers/find-files.ts";
import type { Readers } from "../layers/readers.ts";
import { namesAt, type Taking } from "./deerflow-names.ts";
import type { ForeignPlaces } from "./find-foreign.ts";
import { importEntry } from "./import-servers.ts";
import { readForeign } from "./read-foreign.ts";
import { type KeyRow, takeKeys, within } from "./take-keys.ts";

/** An agent with a folder of its own. */
export interface AgentFolder {
  readonly name: string;
  readonly root: MapNode;
  /** Its prompt. */
  readonly soul: string | null;
}

/** `agents/NAME` with `config.yaml` and `SOUL.md`: beside the configuration, and where DeerFlow writes them. */
export async function findAgentFolders(
  places: ForeignPlaces,
  readers: Readers,
  leave: (what: string, why: string, origin: Origin) => void,
): Promise<readonly AgentFolder[]> {
  const { cwd, env } = places;
  const list = (folder: string) => readers.listFolder(folder).catch(() => []);
  const state = env.DEER_FLOW_HOME || join(cwd, ".deer-flow");
  const users = (await list(join(state, "users"))).map((user) => join(state, "users", user));
  const found: AgentFolder[] = [];
  for (const base of [...users, state, cwd])
    for (const name of await list(join(base, "agents"))) {
      const folder = join(base, "agents", name);
      const file = showPath(join(folder, "config.yaml"), places);
      const origin: Origin = { kind: "file", file, line: 1 };
      try {
        const text = await readers.readText(join(folder, "config.yaml"));
        const root = text === null ? null : ((await readForeign(text, file)) ?? mapNode([], origin));
        if (root === null) continue;
        if (root.kind !== "map") leave("the file", "it holds no settings", origin);
        else found.push({ name, root, soul: await readers.readText(join(folder, "SOUL.md")) });
      } catch (error) {
        leave(`agent "${name}"`, error instanceof Error ? error.message : String(error), origin);
      }
    }
  const soul = join(state, "SOUL.md");
  if ((await readers.readText(soul)) !== null)
    leave("the default agent's SOUL.md", "what it says belongs in AGENTS.md here", {
      ...{ kind: "file", file: showPath(soul, places), line: null },
    });
  return found;
}

const TAKEN = () => {};
const READ = ["name", "description", "system_prompt", "tools", "disallowed_tools", "tool_groups", "model", "max_turns"];
const ROWS: ReadonlyMap<string, KeyRow<Taking>> = new Map<string, KeyRow<Taking>>([
  ...READ.map((key) => [key, TAKEN] as const),
  [
    "skills",
    (node, { leave }, what) => {
      if (isEmpty(node)) leave(what, "agents see every skill here; disabledSkills takes skills away", node.origin);
    },
  ],
  ["timeout_seconds", "agents have no time limit here; maxTurns ends them"],
]);

/** What DeerFlow denies to agents that work for another, unless they say otherwise. */
const DENIED_BELOW = ["task", "ask_clarification", "present_files"];

/** An entry of `agents`; of two values the first node's counts. */
function importAgent(
  name: string,
  nodes: readonly (ConfigNode | undefined)[],
  given: { readonly prompt?: string; readonly denied: readonly string[]; readonly origin: Origin },
  taking: Taking,
): void {
  const { names, set, leave } = taking;
  if (taking.agents.has(name)) {
    leave(`agent "${name}"`, "another agent of that name is taken", given.origin);
    return;
  }
  taking.agents.add(name);
  const at = (key: string) => nodes.map((node) => nodeAt(node, key)).find((node) => !isNull(node));
  const text = (key: string) => readText(at(key))?.value;
  const [model, groups] = [text("model"), namesAt(at("tool_groups"))];
  const agent = {
    ...{ name, description: text("description"), prompt: given.prompt ?? text("system_prompt") },
    tools: names.allowed(namesAt(at("tools")), groups),
    disallowedTools: listOf(names.denied(namesAt(at("disallowed_tools")) ?? given.denied)),
    ...{ toolGroups: groups, skills: namesAt(at("skills")), maxTurns: readNumber(at("max_turns"))?.value },
    model: model === undefined || model === "inherit" ? undefined : names.modelOf(model),
  };
  const said = Object.entries(agent).filter(([, value]) => value !== undefined);
  set(["agents"], Object.fromEntries(said), given.origin);
  for (const node of nodes)
    if (node !== undefined) takeKeys(node, ROWS, taking, (keys) => `${keys} of agent "${name}"`);
}

function listOf(names: readonly string[]): readonly string[] | undefined {
  return names.length === 0 ? undefined : names;
}

/** `subagents`: custom agents with what `agents` overrides of them. */
export const importSubagents: KeyRow<Taking> = (node, taking, what) => {
  const custom = entriesAt(node, "custom_agents");
  const own = nodeAt(node, "agents");
  for (const [name, { origin }] of entriesAt(own))
    if (!custom.some(([known]) => known === name))
      taking.leave(`${name} of subagents.agents`, "it is DeerFlow's own; the agent general is like it here", origin);
  for (const [name, agent] of custom)
    importAgent(name, [nodeAt(own, name), agent], { denied: DENIED_BELOW, origin: agent.origin }, taking);
  const rows = new Map<string, KeyRow<Taking>>([
    ["agents", TAKEN],
    ["custom_agents", TAKEN],
    ["max_turns", "it is for DeerFlow's own agents; agents of yours have maxTurns"],
    ["timeout_seconds", "agents have no time limit here; maxTurns ends them"],
  ]);
  takeKeys(node, rows, taking, (keys) => `${keys} of ${what}`);
};

export function importAgentFolders(folders: readonly AgentFolder[], taking: Taking): void {
  for (const { name, root, soul } of folders) {
    const prompt = soul?.trim() ?? "";
    importAgent(name, [root], { ...(prompt === "" ? {} : { prompt }), denied: [], origin: root.origin }, taking);
  }
}

const ACP_ROWS = new Map<string, KeyRow<Taking>>([
  ...["command", "args", "env", "cwd", "description"].map((key) => [key, TAKEN] as const),
  ["model", "choose the model in that agent's own settings, or by its args"],
  [
    "auto_approve_permissions",
    (node, { leave }, what) => {
      if (readFlag(node)?.value === true)
        leave(what, "what it asks is judged by your rules: write them into permissions.allow", node.origin);
    },
  ],
  ["timeout_seconds", "agents have no time limit here"],
]);

/** `acp_agents`: programs that speak the Agent Client Protocol, as agents. */
export const importAcpAgents: KeyRow<Taking> = (map, taking) => {
  for (const [name, node] of entriesAt(map)) {
    const what = `agent "${name}"`;
    const keys = ["command", "args", "env", "cwd"].flatMap((key): [string, ConfigNode][] => {
      const value = nodeAt(node, key);
      return value === undefined ? [] : [[key, value]];
    });
    const acp = importEntry(what, name, mapNode(keys, node.origin), taking);
    if (acp === null) continue;
    const description = readText(nodeAt(node, "description"))?.value;
    taking.agents.add(name);
    taking.set(["agents"], { name, ...(description === undefined ? {} : { description }), acp }, node.origin);
    within(ACP_ROWS)(node, taking, what);
  }
};
