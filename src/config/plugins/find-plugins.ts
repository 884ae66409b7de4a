import { join, resolve } from "node:path";
import { type Places, userFolder } from "../layers/find-files.ts";
import type { Readers } from "../layers/readers.ts";

/** A folder that may contain a plugin, and whose it is. */
export interface PluginPlace {
  readonly folder: string;
  readonly side: "project" | "user";
}

/** The folder of a person's own plugins. */
export function userPlugins(places: Pick<Places, "home" | "env">): string {
  return join(userFolder(places), "plugins");
}

/** Folders in the workspace's `.toolcrib/plugins`, and in the person's own. The project's come first. */
export async function findPlugins(
  workspace: string,
  places: Pick<Places, "home" | "env">,
  readers: Readers,
): Promise<readonly PluginPlace[]> {
  const isHome = resolve(workspace) === resolve(places.home);
  const sites = [
    ...(isHome ? [] : [{ folder: join(workspace, ".toolcrib", "plugins"), side: "project" as const }]),
    { folder: userPlugins(places), side: "user" as const },
  ];
  const found = await Promise.all(
    sites.map(async ({ folder, side }) =>
      (await readers.listFolder(folder).catch(() => [])).map((name) => ({ folder: join(folder, name), side })),
    ),
  );
  return found.flat().filter(({ folder }) => !/[/\\]\.[^/\\]*$/.test(folder));
}
