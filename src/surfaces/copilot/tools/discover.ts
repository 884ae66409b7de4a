import { join, resolve } from "node:path";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { loadConfig } from "../../../config/load-config.ts";
import { type Origin, unfoldHome } from "../../../core/codes/origin.ts";
import { loadCommandReader } from "../../../runtime/permissions/command-reader.ts";
import type { Surroundings } from "../../../system/surroundings.ts";
import { dropUndefined, type Json, textOf, textsOf } from "../wire/wire-values.ts";

/** What files say for a folder, and how to find the file behind an entry: its path, and whether the folder has it. */
async function loadFiles({ env }: Surroundings, cwd: string) {
  const home = homeFolder(env);
  const config = await loadConfig({ cwd, home, env, loadCommandReader });
  const fileOf = (origin: Origin) => {
    const path = origin.kind === "file" ? resolve(cwd, unfoldHome(origin.file, home)) : undefined;
    return { path, isOwn: path?.startsWith(join(cwd, "/")) === true };
  };
  return { config, fileOf };
}

/** The agents that files of these projects define, and those of the person unless they are not wanted. */
export async function findAgents(around: Surroundings, params: Json): Promise<readonly Json[]> {
  const found = new Map<string, Json>();
  for (const cwd of textsOf(params.projectPaths)) {
    const { config, fileOf } = await loadFiles(around, cwd);
    for (const [name, { origin, description = "", tools, model, prompt }] of config.agents) {
      const { path, isOwn } = fileOf(origin);
      if (!isOwn && params.excludeHostAgents === true) continue;
      const info = dropUndefined({
        ...{ id: name, name, displayName: name, description, path, source: isOwn ? "project" : "user" },
        ...{ userInvocable: true, prompt, tools: tools?.value.map(({ value }) => value) },
        model: typeof model === "string" ? model : undefined,
      });
      found.set(path ?? name, info as Json);
    }
  }
  return [...found.values()];
}

/** The servers that files define for a folder: those that a session there could find. */
export async function findServers(around: Surroundings, { workingDirectory }: Json): Promise<readonly Json[]> {
  const { config, fileOf } = await loadFiles(around, resolve(around.cwd, textOf(workingDirectory) ?? "."));
  return [...config.servers].map(([name, { transport, origin, enabled }]) => {
    const type = transport.type === "openapi" ? undefined : transport.type;
    const source = fileOf(origin).isOwn ? "workspace" : "user";
    return dropUndefined({ name, type, source, enabled: enabled.value }) as Json;
  });
}
