import { join, resolve } from "node:path";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { loadConfig } from "../../../config/load-config.ts";
import { unfoldHome } from "../../../core/codes/origin.ts";
import { loadCommandReader } from "../../../runtime/permissions/command-reader.ts";
import type { Surroundings } from "../../../system/surroundings.ts";
import { type Json, stated, textOf } from "../wire/wire-values.ts";

/** The servers that files define for a folder: those that a session there could find. */
export async function findServers({ env, cwd }: Surroundings, { workingDirectory }: Json): Promise<readonly Json[]> {
  const folder = resolve(cwd, textOf(workingDirectory) ?? ".");
  const home = homeFolder(env);
  const { servers } = await loadConfig({ cwd: folder, home, env, loadCommandReader });
  return [...servers].map(([name, { transport, origin, enabled }]) => {
    const isOwn =
      origin.kind === "file" && resolve(folder, unfoldHome(origin.file, home)).startsWith(join(folder, "/"));
    const type = transport.type === "openapi" ? undefined : transport.type;
    return stated({ name, type, source: isOwn ? "workspace" : "user", enabled: enabled.value }) as Json;
  });
}
