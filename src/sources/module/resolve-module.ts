import { readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, isAbsolute, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { nearestNames } from "../../core/codes/nearest-name.ts";
import { findPackageEntry } from "./package-entry.ts";

export type ResolvedModule =
  | { readonly ok: true; readonly url: string }
  /** What is wrong, and what to do about it. */
  | { readonly ok: false; readonly text: string; readonly fix: string };

/** The file of a module: relative to `base`, absolute, or of a package that `base` can see. Loads nothing. */
export function resolveModule(module: string, base: string): ResolvedModule {
  const path = toPath(module, base);
  if (path !== null) {
    if (isFile(path)) return { ok: true, url: pathToFileURL(path).href };
    return { ok: false, text: `there is no file ${JSON.stringify(module)} in ${base}`, fix: suggestFile(path, module) };
  }
  const entry = findPackageEntry(module, base);
  switch (entry.found) {
    case "file":
      return { ok: true, url: pathToFileURL(entry.path).href };
    case "package": {
      const text = `the package ${entry.folder} offers nothing under ${JSON.stringify(module)}`;
      return { ok: false, text, fix: 'look at "exports" and "main" in its package.json' };
    }
    case "nothing":
      return { ok: false, text: `there is no package ${JSON.stringify(module)}`, fix: suggestPackage(module, base) };
  }
}

/** Null for the name of a package. */
function toPath(module: string, base: string): string | null {
  if (module.startsWith("file:")) {
    try {
      return fileURLToPath(module);
    } catch {
      return resolve(base, module);
    }
  }
  return isAbsolute(module) || /^\.\.?(?:[/\\]|$)/.test(module) ? resolve(base, module) : null;
}

function suggestFile(path: string, module: string): string {
  const folder = dirname(path);
  const files = listFolder(folder);
  const name = basename(path);
  const withEnding = files.find((file) => file !== name && basename(file, extname(file)) === name);
  const near = withEnding ?? nearestNames(name, files, 1)[0];
  if (near === undefined) return "create it, or correct the path";
  return `did you mean ${JSON.stringify(module.slice(0, module.length - name.length) + near)}?`;
}

function suggestPackage(module: string, base: string): string {
  if (isFile(resolve(base, module))) return `for a file beside the configuration write "./${module}"`;
  const looksPython = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(module) && !/\.[cm]?[jt]s$/.test(module);
  if (looksPython) return "it looks like a Python module; name a JavaScript module or package that offers the tool";
  return `run "npm install ${module}" in ${base}, or write "./" in front of a file's path`;
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
