import { statSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import type { Notice } from "../../core/codes/reason.ts";

/** The additional folders of a configuration that exist. */
export function findFolders({ permissions }: Pick<Config, "permissions">): {
  readonly found: readonly string[];
  readonly notices: readonly Notice[];
} {
  const folders = permissions.additionalDirectories;
  const missing = folders.filter(({ value }) => !isFolder(value));
  return {
    found: folders.filter((folder) => !missing.includes(folder)).map(({ value }) => value),
    notices: missing.map(({ value, origin }) => ({
      level: "warning",
      code: "config.folder-missing",
      text: `permissions.additionalDirectories names ${value}, which is not a folder; it is left out`,
      names: [value],
      origin,
    })),
  };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
