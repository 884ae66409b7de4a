import { join, resolve } from "node:path";
import { readAgentFile } from "../../../config/layers/agent-files.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import { toPlain } from "../../../core/shape/node.ts";
import { emit, type SessionCore } from "../state/session-core.ts";
import { type ClientAgent, readAgents } from "../wire/client-options.ts";
import { recordOf } from "../wire/wire-values.ts";

/** An agent that works for the session, as clients and the model know it. */
interface NamedAgent {
  readonly type: string;
  /** What it was called when it was started, which is its id for clients and the model; its own id where nobody named it. */
  readonly name: string;
  readonly toolCallId: string;
  readonly prompt: string;
  readonly isBackground: boolean;
  readonly startedAt: number;
}

/** The agents that a session can use, and those that work for it. */
export interface AgentState {
  /** The custom agent that the session is. */
  selected: string | null;
  /** Of the folders that the app names. */
  inFolders: readonly ClientAgent[];
  /** What is wrong with files there, and whether clients were told. */
  readonly leftOut: Map<string, boolean>;
  /** Those that were started, by our own ids. */
  readonly started: Map<string, NamedAgent>;
  /** What clients said that started one themselves, by the id of its call. */
  readonly requests: Map<string, Pick<NamedAgent, "type" | "prompt"> & { readonly name: string | undefined }>;
  readonly background: Set<string>;
  /** Those that clients took off the list. */
  readonly removed: Set<string>;
}

export function newAgents(selected: string | null): AgentState {
  return {
    ...{ selected, inFolders: [], leftOut: new Map(), started: new Map(), requests: new Map() },
    ...{ background: new Set(), removed: new Set() },
  };
}

/** The agents of a session: those of its options, and behind them those of the folders that the app names. */
export function customAgents({ options }: SessionCore, { inFolders }: AgentState): readonly ClientAgent[] {
  const names = new Set(options.customAgents.map(({ name }) => name));
  return [...options.customAgents, ...inFolders.filter(({ name }) => !names.has(name))];
}

/** Agents that ship, by the names that clients know them under. */
export const SHIPPED: ReadonlyMap<string, string> = new Map([
  ["explore", "explore"],
  ["task", "general"],
  ["general-purpose", "general"],
]);

export function agentNames(core: SessionCore, agents: AgentState): readonly string[] {
  const { excludedBuiltinAgents, includedBuiltinAgents, subagents } = core.options;
  const shipped = [...SHIPPED.keys()].filter(
    (name) => !excludedBuiltinAgents.includes(name) && includedBuiltinAgents?.includes(name) !== false,
  );
  const custom = customAgents(core, agents).flatMap(({ name, infer }) =>
    name === undefined || infer === false ? [] : [name],
  );
  return [...shipped, ...custom].filter((name) => subagents?.disabledSubagents.includes(name) !== true);
}

/** Reads those folders as they are now. A file that cannot be read costs itself. */
export async function loadAgents({ options, cwd }: SessionCore, agents: AgentState): Promise<void> {
  const found = new Map<unknown, ClientAgent>();
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

/** What a model is told, and which tools it has; a file starts no programs. */
async function readAgent(path: string, { leftOut }: AgentState): Promise<ClientAgent | null> {
  try {
    const { node } = await readAgentFile(path, path, fileReaders);
    const { name, description, prompt, tools, model, skills } = recordOf(toPlain(node));
    return readAgents([{ name, description, prompt, tools, model, skills }])[0] ?? null;
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

/** Our id of an agent, whichever of its two is given. */
export function agentIdOf({ started }: AgentState, given: string): string {
  return [...started].findLast(([, { name }]) => name === given)?.[0] ?? given;
}

/** How Toolcrib itself tells that an agent of the background is done. */
export const AGENT_OVER = /^<system_notification>\nAgent "([^"]*)" \(([^)]*)\) has (\w+)/;

/** The same as these clients' models know it. */
export function agentNotice({ started }: AgentState, id: string, isCompleted: boolean): string {
  const { type = "general-purpose", name = id } = started.get(id) ?? {};
  const how = isCompleted ? "has completed successfully" : "has failed";
  return `<system_notification>\nAgent "${name}" (${type}) ${how}. Use read_agent with agent_id "${name}" to retrieve the full results.\n</system_notification>`;
}
