import type { Config } from "../../config/config.ts";
import { findHostPrograms } from "../../config/trust/host-programs.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import { isInside } from "../../core/rules/paths.ts";
import { findHostFiles, realpathOr } from "../../system/host-programs/host-files.ts";
import type { HostFile } from "../../system/host-programs/host-program.ts";

interface FinderPlace {
  readonly workspace: string;
  readonly added: readonly string[];
  readonly home: string;
  readonly path?: string;
}

/** Returns which entry runs a file outside any sandbox; which files an entry uses is looked up once, when needed. */
export function createHostFinder(config: Config, place: FinderPlace): (path: string) => string | null {
  let known: { readonly files: ReadonlyMap<string, HostFile>; readonly folders: readonly HostFile[] } | null = null;
  const load = () => {
    const roots = [place.workspace, ...place.added];
    const found = findHostPrograms(config, place).flatMap((program) =>
      findHostFiles(program, { roots, home: place.home }),
    );
    const folders = found.filter(({ kind }) => kind === "folder");
    const files = new Map<string, HostFile>();
    // A file counts by its own path, and by that of the link which the entry names.
    for (const file of found) for (const path of [file.path, realpathOr(file.path)]) addTo(files, path, file);
    return { files, folders };
  };
  return (path) => {
    known ??= load();
    const file =
      known.files.get(path.toLowerCase()) ?? known.folders.find((folder) => isInside(path, folder.path)) ?? null;
    return file === null ? null : describe(file);
  };
}

function addTo(files: Map<string, HostFile>, path: string, file: HostFile): void {
  const key = path.toLowerCase();
  if (!files.has(key)) files.set(key, file);
}

function describe({ kind, by }: HostFile): string {
  const entry = `${by.what} ${by.name} (${formatOrigin(by.origin)})`;
  switch (kind) {
    case "variables":
      return `sets variables of ${entry}, which runs outside the sandbox, and variables can change what it runs`;
    case "named":
      return `is named by ${entry}, which runs outside the sandbox`;
    case "folder":
      return `lies where programs that run outside the sandbox are looked for: ${entry}`;
    default:
      return `is run outside the sandbox by ${entry}`;
  }
}
