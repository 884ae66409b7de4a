import type { Origin } from "../core/codes/origin.ts";
import type { Config } from "./config.ts";

/** Whether managed policy says it, so that nothing below may change it. */
export function isManaged(config: Pick<Config, "files">, origin: Origin): boolean {
  return layerOf(config, origin) === "policy";
}

/** Whether a file says it that is written for more than this project: managed policy, or the person's own file. */
export function isForMany(config: Pick<Config, "files">, origin: Origin): boolean {
  const layer = layerOf(config, origin);
  return layer === "policy" || layer === "user";
}

function layerOf({ files }: Pick<Config, "files">, origin: Origin): Config["files"][number]["layer"] | undefined {
  return origin.kind === "file" ? files.find(({ file }) => file === origin.file)?.layer : undefined;
}
