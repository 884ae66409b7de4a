import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import type { PathWorld } from "../../core/rules/paths.ts";

/** The target of a symbolic link as written; null for anything else. */
export function readLink(path: string): string | null {
  try {
    // Links are rare, and an exception for each part of a path takes longer than everything else here.
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? readlinkSync(path) : null;
  } catch {
    return null;
  }
}

/** The same, with each link read once: all decisions about one call see the same file system. */
export function rememberLinks(): typeof readLink {
  const known = new Map<string, string | null>();
  return (path) => {
    const remembered = known.get(path);
    if (remembered !== undefined) return remembered;
    const target = readLink(path);
    known.set(path, target);
    return target;
  };
}

/** The names in a folder; null if it is none or cannot be listed. */
export const listNames: NonNullable<PathWorld["list"]> = (folder) => {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      kind: entry.isSymbolicLink() ? "link" : entry.isDirectory() ? "folder" : "other",
    }));
  } catch {
    return null;
  }
};
