import type { Config } from "../../config/config.ts";
import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";

/**
 * A file for many projects may name tools that only other projects have: that is no mistake here, and worth no warning.
 * A name close to that of an existing tool still looks like a slip.
 */
export function noteElsewhere(notices: readonly Notice[], config: Pick<Config, "files">): readonly Notice[] {
  return notices.map((notice) => (isNamedElsewhere(notice, config) ? { ...notice, level: "info" } : notice));
}

export function isNamedElsewhere({ code, nearest, origin }: Named, config: Pick<Config, "files">): boolean {
  return code === "filter.unknown-name" && isForMany(config, origin) && nearest === undefined;
}

type Named = Pick<Notice, "nearest" | "origin"> & { readonly code: string };

/** Whether the origin is a file for more than this project: managed policy, or the person's own file. */
function isForMany({ files }: Pick<Config, "files">, origin: Origin): boolean {
  if (origin.kind !== "file") return false;
  const layer = files.find(({ file }) => file === origin.file)?.layer;
  return layer === "policy" || layer === "user";
}
