import { readlinkSync } from "node:fs";

/** The target of a symbolic link as it is written; null for anything else. */
export function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
