import { createHash } from "node:crypto";
import { join, sep } from "node:path";
import type { Places } from "./find-files.ts";

/** Where what Toolcrib keeps for itself lies: the gateway's token, logs. No tool of an agent works in there. */
export function stateFolder({ home, env }: Pick<Places, "home" | "env">): string {
  const base = env.XDG_STATE_HOME;
  // The base directory specification: a relative value is to be ignored.
  return join(base?.startsWith(sep) ? base : join(home, ".local", "state"), "toolcrib");
}

/** Where the tokens of logins at servers lie. */
export function loginFolder(places: Parameters<typeof stateFolder>[0]): string {
  return join(stateFolder(places), "logins");
}

/** Where it is kept what the servers of one workspace listed when they last ran. */
export function listFolder(places: Parameters<typeof stateFolder>[0], workspace: string): string {
  return join(stateFolder(places), "lists", createHash("sha256").update(workspace).digest("hex").slice(0, 40));
}
