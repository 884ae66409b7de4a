import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { findFiles, type Places, userFolder } from "../../../config/layers/find-files.ts";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import type { Io } from "../terminal/io.ts";

/** Where a command stands, and whose settings count there. */
export type Standpoint = Pick<Places, "cwd" | "home" | "env">;

/** Whose settings count where a command stands. */
export function settingPlaces({ env }: Pick<Io, "env">): Pick<Places, "home" | "env"> {
  return { home: homeFolder(env), env };
}

export interface WorkPlace {
  /** Without symbolic links. */
  readonly workspace: string;
  /** It has a configuration of ours or is a repository; else it is just the folder somebody stands in. */
  readonly isProject: boolean;
}

/** The workspace around a folder: where a configuration of ours lies, else the repository, else the folder itself. */
export async function findWorkPlace({ cwd, home, env }: Standpoint): Promise<WorkPlace> {
  const { workspace, files } = await findFiles({ cwd, home, env, named: null, systemPolicy: "" }, fileReaders);
  const hasFile = files.some(({ layer }) => layer === "project" || layer === "local");
  const isProject = hasFile || (await fileReaders.exists(join(workspace, ".git"))) === true;
  return { workspace: realPath(workspace), isProject };
}

/** What a workspace is filed under. Another person's settings make another Toolcrib of the same folder. */
export function keyOf(workspace: string, places: Pick<Places, "home" | "env">): string {
  const parts = JSON.stringify([workspace, places.home, userFolder(places)]);
  return createHash("sha256").update(parts).digest("hex").slice(0, 32);
}

export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
