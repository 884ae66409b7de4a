import { join, resolve } from "node:path";
import type { AgentConfig } from "../../../config/config.ts";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { loadConfig } from "../../../config/load-config.ts";
import { unfoldHome } from "../../../core/codes/origin.ts";
import { loadCommandReader } from "../../../runtime/permissions/command-reader.ts";
import type { Surroundings } from "../../../system/surroundings.ts";
import { type Json, stated, textsOf } from "../wire/wire-values.ts";

/** The agents that files of these projects define, and those of the person unless they are not wanted. */
export async function findAgents({ env }: Surroundings, params: Json): Promise<readonly Json[]> {
  const found = new Map<string, Json>();
  const home = homeFolder(env);
  for (const cwd of textsOf(params.projectPaths)) {
    const { agents } = await loadConfig({ cwd, home, env, loadCommandReader });
    for (const [name, agent] of agents) {
      const path = pathOf(agent, cwd, home);
      const isOwn = path?.startsWith(join(cwd, "/")) === true;
      if (!isOwn && params.excludeHostAgents === true) continue;
      found.set(path ?? name, toInfo(name, agent, path, isOwn ? "project" : "user"));
    }
  }
  return [...found.values()];
}

/** The file that defines it. */
function pathOf({ origin }: AgentConfig, cwd: string, home: string): string | undefined {
  return origin.kind === "file" ? resolve(cwd, unfoldHome(origin.file, home)) : undefined;
}

function toInfo(name: string, agent: AgentConfig, path: string | undefined, source: "project" | "user"): Json {
  const { description = "", tools, model, prompt } = agent;
  return stated({
    ...{ id: name, name, displayName: name, description, path, source, userInvocable: true, prompt },
    tools: tools?.value.map(({ value }) => value),
    model: typeof model === "string" ? model : undefined,
  }) as Json;
}
