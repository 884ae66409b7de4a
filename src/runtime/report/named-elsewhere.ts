import type { Config } from "../../config/config.ts";
import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";

/**
 * A file for many projects may name tools that only others of them have: that is nobody's mistake here, and worth no warning.
 * What is nearly the name of a tool that is there looks like a slip all the same.
 */
export function noteElsewhere(notices: readonly Notice[], config: Pick<Config, "files">): readonly Notice[] {
  return notices.map((notice) => (isNamedElsewhere(notice, config) ? { ...notice, level: "info" } : notice));
}

export function isNamedElsewhere({ code, nearest, origin }: Named, config: Pick<Config, "files">): boolean {
  return code === "filter.unknown-name" && isForMany(config, origin) && nearest === undefined;
}

type Named = Pick<Notice, "nearest" | "origin"> & { readonly code: string };

/** Whether a file says it that is written for more than this project: managed policy, or the person's own file. */
function isForMany({ files }: Pick<Config, "files">, origin: Origin): boolean {
  if (origin.kind !== "file") return false;
  const layer = files.find(({ file }) => file === origin.file)?.layer;
  return layer === "policy" || layer === "user";
}
