import { join, resolve } from "node:path";
import { readAgentFile } from "../../../config/foreign/agent-files.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import type { AgentConfig } from "../../../config/shape/agent-shape.ts";
import { sourced } from "../../../core/codes/origin.ts";
import { toPlain } from "../../../core/shape/node.ts";
import type { AgentEnd } from "../../../runtime/agents/agent-node.ts";
import { SHIPPED } from "../../../runtime/agents/shipped-agents.ts";
import type { AgentOption } from "../../../runtime/session/options/option-types.ts";
import { emit, type SessionCore } from "../state/session-core.ts";
import { type ClientAgent, type ClientOptions, readAgents } from "../wire/client-options.ts";
import { recordOf } from "../wire/wire-values.ts";

/** An agent of a file, with what the file says about its calls. */
interface FileAgent extends ClientAgent {
  readonly limits?: Pick<AgentOption, (typeof LIMITS)[number]>;
}

/** What a file says beyond what clients say, in our own keys. */
const LIMITS = ["disallowedTools", "toolGroups", "permissionMode", "maxTurns", "background", "worktree"] as const;

/** The agents that a session can use, and those that work for it. */
export interface AgentState {
  /** The custom agent that the session is. */
  selected: string | null;
  /** Of the folders that the app names. */
  inFolders: readonly FileAgent[];
  /** What is wrong with files there, and whether clients were told. */
  readonly leftOut: Map<string, boolean>;
  /** Those that work in the background, by id. */
  readonly background: Set<string>;
  /** Those that clients took off the list. */
  readonly removed: Set<string>;
}

export function newAgents(selected: string | null): AgentState {
  return { selected, inFolders: [], leftOut: new Map(), background: new Set(), removed: new Set() };
}

/** The agents of a session: those of its options, and behind them those of the folders that the app names. */
export function customAgents({ options }: SessionCore, { inFolders }: AgentState): readonly FileAgent[] {
  const names = new Set(options.customAgents.map(({ name }) => name));
  return [...options.customAgents, ...inFolders.filter(({ name }) => !names.has(name))];
}

/** Agents that ship, by the names that clients know them under. */
const SHIPPED_AS: ReadonlyMap<string, string> = new Map([
  ["explore", "explore"],
  ["task", "general"],
  ["general-purpose", "general"],
]);

/** Those of them that clients want, with the models that they want. */
export function shippedAgents(options: ClientOptions): readonly AgentConfig[] {
  const { excludedBuiltinAgents: excluded, includedBuiltinAgents: included, subagents } = options;
  return [...SHIPPED_AS].flatMap(([name, own]) => {
    const agent = SHIPPED.find((one) => one.name === own);
    const isWanted = !excluded.includes(name) && included?.includes(name) !== false && isEnabled(name, options);
    if (agent === undefined || !isWanted) return [];
    const model = subagents?.agents[name]?.model;
    return [{ ...agent, name, model: model === undefined ? null : sourced(model, agent.origin) }];
  });
}

/** Whether a model may start it. */
export function isEnabled(name: string, { subagents }: ClientOptions): boolean {
  return subagents?.disabledSubagents.includes(name) !== true;
}

/** Reads those folders as they are now. A file that cannot be read costs itself. */
export async function loadAgents({ options, cwd }: SessionCore, agents: AgentState): Promise<void> {
  const found = new Map<unknown, FileAgent>();
  for (const given of options.agentDirectories) {
    const folder = resolve(cwd, given);
    for (const file of await fileReaders.listFolder(folder))
      if (/\.md$/.test(file) && !/^readme\.md$/i.test(file)) {
        const agent = await readAgent(join(folder, file), agents);
        if (agent !== null && !found.has(agent.name)) found.set(agent.name, agent);
      }
  }
  agents.inFolders = [...found.values()];
}

/** What a model is told, and which tools it has; a file starts no programs, and none that would refuse calls is dropped. */
async function readAgent(path: string, { leftOut }: AgentState): Promise<FileAgent | null> {
  try {
    const { node } = await readAgentFile(path, path, fileReaders);
    const { name, description, prompt, tools, model, skills, hooks, ...more } = recordOf(toPlain(node));
    if (hooks !== undefined)
      throw new Error("its hooks are programs, and a folder of agents starts none; write them into toolcrib.yaml");
    const [agent] = readAgents([{ name, description, prompt, tools, model, skills }]);
    const limits = Object.fromEntries(LIMITS.flatMap((key) => (more[key] === undefined ? [] : [[key, more[key]]])));
    return agent === undefined ? null : { ...agent, limits };
  } catch (error) {
    const message = `the agent in ${path} is left out: ${error instanceof Error ? error.message : String(error)}`;
    leftOut.set(message, leftOut.get(message) ?? false);
    return null;
  }
}

/** Reports what is wrong with files, each once. */
export function reportLeftOut(core: SessionCore, { leftOut }: AgentState): void {
  for (const [message, isReported] of leftOut)
    if (!isReported) {
      emit(core, "session.warning", { warningType: "agents", message });
      leftOut.set(message, true);
    }
}

/** What the models behind these clients read about the end of an agent. */
export function describeAgentEnd({ agentId, agentType, status }: AgentEnd): string {
  const how = status === "completed" ? "has completed successfully" : "has failed";
  return `Agent "${agentId}" (${agentType}) ${how}. Use read_agent with agent_id "${agentId}" to retrieve the full results.`;
}
