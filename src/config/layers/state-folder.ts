import { createHash } from "node:crypto";
import { basename, join, sep } from "node:path";
import type { Places } from "./find-files.ts";

/** Where Toolcrib stores its own files: the gateway's token, logs. No agent's tool works in there. */
export function stateFolder({ home, env }: Pick<Places, "home" | "env">): string {
  const base = env.XDG_STATE_HOME;
  // The base directory specification: a relative value must be ignored.
  return join(base?.startsWith(sep) ? base : join(home, ".local", "state"), "toolcrib");
}

/** The name of a workspace's files there: its own name, for people, and a suffix that makes it unique. */
export function workspaceKey(workspace: string): string {
  const name = basename(workspace).replace(/[^\w.-]+/g, "_") || "root";
  return `${name}-${createHash("sha256").update(workspace).digest("hex").slice(0, 8)}`;
}

/** Where the tokens of logins at servers are. */
export function loginFolder(places: Parameters<typeof stateFolder>[0]): string {
  return join(stateFolder(places), "logins");
}

/** Where a configured embedder's tool vectors are. */
export function vectorFolder(places: Parameters<typeof stateFolder>[0]): string {
  return join(stateFolder(places), "vectors");
}

/** Where the requests that a model wrote for tools are. */
export function requestFile(places: Parameters<typeof stateFolder>[0]): string {
  return join(stateFolder(places), "requests.jsonl");
}

/** Where the tool lists of a workspace's servers from their last run are. */
export function toolListFolder(places: Parameters<typeof stateFolder>[0], workspace: string): string {
  return join(stateFolder(places), "lists", createHash("sha256").update(workspace).digest("hex").slice(0, 40));
}

/** Where the script behind the hooks of clients is, the sockets that it asks, and what it keeps to be fast. */
export function guardFolder(places: Parameters<typeof stateFolder>[0]): string {
  return join(stateFolder(places), "guard");
}

/** The script that the lines in clients' files run. */
export function hookScriptFile(places: Parameters<typeof stateFolder>[0]): string {
  return join(guardFolder(places), "hook.sh");
}

/** What hooks and runtimes of clients keep to be fast: nobody else reads or writes it. */
export function keptFolder(places: Parameters<typeof stateFolder>[0]): string {
  return join(guardFolder(places), "kept");
}

/**
 * Where sockets of running Toolcribs may be, the best first: the system's folder for the logged-in user, else
 * Toolcrib's own, else, if that path is too long, the folder for temporary files.
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

/** What allows its reader to talk to a running Toolcrib, or in its name: nothing that runs for an agent may see it. */
export function privateFolders(
  places: Parameters<typeof stateFolder>[0],
  temporary: string,
  user: number,
): readonly string[] {
  const kept = ["running", "tokens"].map((name) => join(stateFolder(places), name));
  return [...socketFolders(places, temporary, user), ...kept, loginFolder(places), guardFolder(places)];
}
