import type { Origin } from "../core/codes/origin.ts";
import type { Config } from "./config.ts";

/** Whether managed policy sets it, so that nothing below may change it. */
export function isManaged({ files }: Pick<Config, "files">, origin: Origin): boolean {
  return origin.kind === "file" && files.some(({ layer, file }) => layer === "policy" && file === origin.file);
}
