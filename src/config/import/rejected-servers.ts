import { join } from "node:path";
import type { Sourced } from "../../core/codes/origin.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import { type ConfigNode, nodeAt } from "../config-node.ts";
import { shownPath } from "../find-files.ts";
import { readNames } from "../read-node.ts";
import type { Readers } from "../readers.ts";
import type { ForeignPlaces } from "./find-foreign.ts";
import type { ImportContext, ImportedServer } from "./import-servers.ts";
import { readForeign } from "./read-foreign.ts";

const KEY = "disabledMcpjsonServers";

/** Servers of `.mcp.json` that somebody told Claude Code not to start, each with where. */
export async function loadRejected(
  { cwd, home }: ForeignPlaces,
  claudeHome: ConfigNode | undefined,
  readers: Readers,
): Promise<ReadonlyMap<string, Sourced<string>>> {
  const roots: (ConfigNode | null | undefined)[] = [nodeAt(claudeHome, "projects", cwd)];
  const own = ["settings.local.json", "settings.json"].map((name) => join(cwd, ".claude", name));
  for (const path of [...own, join(home, ".claude", "settings.json")]) {
    // Files that cannot be read are told by whoever reads the rest of them.
    const root = readers
      .readText(path)
      .then((text) => (text === null ? null : readForeign(text, shownPath(path, { cwd }))));
    roots.push(await root.catch(() => null));
  }
  const names = roots.flatMap((root) => readNames(nodeAt(root ?? undefined, KEY))?.value ?? []);
  return new Map(names.map((name) => [name.value, name]));
}

/** Somebody's no stays one: the server is taken over and not started. */
export function withoutStart(
  server: ImportedServer,
  no: Sourced<string>,
  leave: ImportContext["leave"],
): ImportedServer {
  const why = `${KEY} (${formatOrigin(no.origin)}) says no; enabled: true starts it`;
  leave(`the start of server "${server.name}"`, why, server.origin);
  return { ...server, entry: { ...server.entry, enabled: false } };
}
