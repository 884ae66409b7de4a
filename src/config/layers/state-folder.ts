import { createHash } from "node:crypto";
import { basename, join, sep } from "node:path";
import type { Places } from "./find-files.ts";

/** Where what Toolcrib keeps for itself lies: the gateway's token, logs. No tool of an agent works in there. */
export function stateFolder({ home, env }: Pick<Places, "home" | "env">): string {
  const base = env.XDG_STATE_HOME;
  // The base directory specification: a relative value is to be ignored.
  return join(base?.startsWith(sep) ? base : join(home, ".local", "state"), "toolcrib");
}

/** What the files of one workspace are called there: its name, for people, and what tells it from others of that name. */
export function workspaceKey(workspace: string): string {
  const name = basename(workspace).replace(/[^\w.-]+/g, "_") || "root";
  return `${name}-${createHash("sha256").update(workspace).digest("hex").slice(0, 8)}`;
}

/** Where the tokens of logins at servers lie. */
export function loginFolder(places: Parameters<typeof stateFolder>[0]): string {
  return join(stateFolder(places), "logins");
}

/** Where the vectors lie that a configured embedder made of tools. */
export function vectorFolder(places: Parameters<typeof stateFolder>[0]): string {
  return join(stateFolder(places), "vectors");
}

/** Where the requests lie that a model wrote for tools. */
export function requestFile(places: Parameters<typeof stateFolder>[0]): string {
  return join(stateFolder(places), "requests.jsonl");
}

/** Where it is kept what the servers of one workspace listed when they last ran. */
export function listFolder(places: Parameters<typeof stateFolder>[0], workspace: string): string {
  return join(stateFolder(places), "lists", createHash("sha256").update(workspace).digest("hex").slice(0, 40));
}

/**
 * Where sockets of running Toolcribs may lie, the best first: the folder that the system keeps for whoever is logged in,
 * else among what Toolcrib keeps, else, where that has too long a name, in the folder for temporary files.
 */
export function socketFolders(
  places: Parameters<typeof stateFolder>[0],
  temporary: string,
  user: number,
): readonly string[] {
  const runtime = places.env.XDG_RUNTIME_DIR;
  return [
    ...(runtime?.startsWith(sep) ? [join(runtime, "toolcrib")] : []),
    join(stateFolder(places), "run"),
    join(temporary, `toolcrib-${user}`),
  ];
}

/** What lets its reader speak to a running Toolcrib, or in its name: nothing that runs for an agent may see it. */
export function privateFolders(
  places: Parameters<typeof stateFolder>[0],
  temporary: string,
  user: number,
): readonly string[] {
  const kept = ["running", "tokens"].map((name) => join(stateFolder(places), name));
  return [...socketFolders(places, temporary, user), ...kept, loginFolder(places)];
}
