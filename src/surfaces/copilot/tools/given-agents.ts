import { join, resolve } from "node:path";
import { readAgentFile } from "../../../config/layers/agent-files.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import { toPlain } from "../../../core/shape/node.ts";
import { type Live, tell } from "../state/live.ts";
import { type Json, recordOf, recordsOf, stated, textsOf } from "../wire/wire-values.ts";

/** The agents of a session: those of its options, and behind them those of the folders that the app names. */
export function agentsOfApp({ wire, facts }: Live): readonly Json[] {
  const own = recordsOf(wire.customAgents);
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...recordsOf(facts.get("agents in folders")).filter(({ name }) => !names.has(name))];
}

/** Reads those folders as they are now. A file that cannot be read costs itself. */
export async function loadAgents(live: Live): Promise<void> {
  const found = new Map<unknown, Json>();
  const leave = (message: string): void => void leftOut(live).set(message, leftOut(live).get(message) ?? false);
  for (const given of textsOf(live.wire.agentDirectories)) {
    const folder = resolve(live.cwd, given);
    for (const file of await fileReaders.listFolder(folder))
      if (/\.md$/.test(file) && !/^readme\.md$/i.test(file)) {
        const agent = await readAgent(join(folder, file), leave);
        if (agent !== null && !found.has(agent.name)) found.set(agent.name, agent);
      }
  }
  live.facts.set("agents in folders", [...found.values()]);
}

/** What a model is told, and which tools it has; a file starts no programs. */
async function readAgent(path: string, leave: (message: string) => void): Promise<Json | null> {
  try {
    const { node } = await readAgentFile(path, path, fileReaders);
    const { name, description, prompt, tools, model, skills } = recordOf(toPlain(node));
    return stated({ name, description, prompt, tools, model, skills });
  } catch (error) {
    leave(`the agent in ${path} is left out: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

const known = new WeakMap<Live, Map<string, boolean>>();

/** What is wrong with files, and whether it was told. */
function leftOut(live: Live): Map<string, boolean> {
  const texts = known.get(live) ?? new Map<string, boolean>();
  known.set(live, texts);
  return texts;
}

/** Tells what is wrong with them, each once. */
export function tellLeftOut(live: Live): void {
  for (const [message, isTold] of leftOut(live)) {
    if (!isTold) tell(live, "session.warning", { warningType: "agents", message });
    leftOut(live).set(message, true);
  }
}
