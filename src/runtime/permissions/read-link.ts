import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import type { PathWorld } from "../../core/rules/paths.ts";

/** The target of a symbolic link as it is written; null for anything else. */
export function readLink(path: string): string | null {
  try {
    // Hardly anything is a link, and an error for each name of a path takes longer than all else that is asked about it.
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? readlinkSync(path) : null;
  } catch {
    return null;
  }
}

/** The same, where a link that was read once stays as it was: all that is decided about one call is about one world. */
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

/** What stands in a folder; null for what is none or cannot be listed. */
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
