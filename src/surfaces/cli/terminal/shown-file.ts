import { fromHome, showPath } from "../../../config/layers/find-files.ts";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import type { Io } from "./io.ts";

/** A path as the person who ran the command would write it. */
export function shownFile(path: string, { cwd, env }: Pick<Io, "cwd" | "env">): string {
  return showPath(path, { cwd, home: homeFolder(env) });
}

/** A workspace, which is itself where relative paths start. */
export function shownFolder(path: string, { env }: Pick<Io, "env">): string {
  return fromHome(path, homeFolder(env));
}
