import { relative } from "node:path";
import { formatOrigin } from "../../core/codes/origin.ts";
import { readFacts } from "../../system/host-programs/file-facts.ts";
import { findHostFiles, type HostPlace, MOST_HOST_FILES } from "../../system/host-programs/host-files.ts";
import type { HostFile, HostProgram } from "../../system/host-programs/host-program.ts";
import { isOfOwnPackage } from "../../system/own-package.ts";
import { contains } from "../../system/paths/roots.ts";
import type { FoundFile, FoundFiles } from "../layers/find-files.ts";
import type { Settings } from "../shape/file-shape.ts";
import { hashText } from "./hash-files.ts";
import { findHostPrograms } from "./host-programs.ts";
import { describeItem, PROGRAM_FILE, type TrustItem, type WrittenItem } from "./trust-items.ts";
import type { TrustedFiles, TrustedItem } from "./trust-store.ts";

const PATH = "files[]";

/** Where programs are, and the real path of the workspace, which file names are relative to. */
export interface TrustPlace extends HostPlace {
  readonly workspace: string;
}

export function toTrustedFiles(items: readonly TrustedItem[]): TrustedFiles {
  return new Map(items.flatMap(({ what, name, hash }) => (what === PROGRAM_FILE ? [[name, hash] as const] : [])));
}

/**
 * Whether the files must be as trusted: for every entry that was found in a file. A person who names a file on the
 * command line, writes a program, or manages the machine has agreed already, and says each time what to run.
 */
export function needsTrust({ origin }: Pick<HostProgram, "origin">, files: readonly FoundFile[]): boolean {
  if (origin.kind !== "file") return false;
  const written = files.find(({ file }) => file === origin.file);
  return written?.named !== true && written?.layer !== "policy";
}

/** What counts now, and what would if everything were trusted; null if that is the same. */
interface Weighed {
  readonly now: Settings;
  readonly later: Settings | null;
}

interface WeighPlace extends FoundFiles {
  readonly cwd: string;
  readonly home: string;
  /** The real path of the workspace. */
  readonly trusted: string;
}

/** The files of the workspace that entries run, as things to trust. */
export function findFileItems(
  { now, later }: Weighed,
  place: WeighPlace,
  known: TrustedFiles,
): ReturnType<typeof toFileItems> {
  const { workspace, files, cwd, home, trusted } = place;
  // Without a file of the project, programs start where a command is given.
  const folders = files.some(({ layer }) => layer === "project" || layer === "local") ? [workspace] : [workspace, cwd];
  const programsOf = (config: Settings) =>
    folders
      .flatMap((folder) => findHostPrograms(config, { workspace: folder }))
      .filter((program) => needsTrust(program, files));
  const waiting = later === null ? [] : programsOf(later).map((program) => ({ ...program, isIdle: true }));
  const added = now.permissions.additionalDirectories.map(({ value }) => value);
  return toFileItems([...programsOf(now), ...waiting], { workspace: trusted, roots: [trusted, ...added], home, known });
}

/** The files of programs as things to trust, each once; those not in use are idle. */
function toFileItems(
  programs: readonly HostProgram[],
  place: TrustPlace & { readonly known: TrustedFiles },
): readonly (WrittenItem & Pick<TrustItem, "idle">)[] {
  const byName = new Map<string, HostFile[]>();
  for (const program of programs)
    for (const file of findHostFiles(program, place).slice(0, MOST_HOST_FILES)) {
      const name = toTrustName(file.path, place);
      byName.set(name, [...(byName.get(name) ?? []), file]);
    }
  return [...byName].flatMap(([name, files]) => {
    const [first] = files;
    if (first === undefined || (!isRun(first) && !place.known.has(name))) return [];
    const entries = new Map(files.map(({ by }) => [describeItem(by), by]));
    const idle = files.every(({ by }) => by.isIdle === true) ? { idle: true as const } : {};
    const by = [...entries].map(([entry, { origin }]) => `${entry} (${formatOrigin(origin)})`);
    const runs = [
      { path: "run by", value: by.join(", ") },
      ...(isRun(first) ? [] : [{ path: "now", value: "not there" }]),
    ];
    const item = { what: PROGRAM_FILE, name, path: PATH, origin: first.by.origin, hash: hashFile(name, first) };
    return [{ ...item, runs, of: [...entries.keys()], ...idle }];
  });
}

/** Why a program must not be started now, as a clause after "because"; null if its files are as trusted. */
export function whyUntrusted(program: HostProgram, trusted: TrustedFiles, place: TrustPlace): string | null {
  const files = findHostFiles(program, place);
  if (files.length > MOST_HOST_FILES)
    return `it loads more than ${MOST_HOST_FILES} files of the workspace, which nobody can trust`;
  for (const file of files) {
    const name = toTrustName(file.path, place);
    const known = trusted.get(name);
    if (isRun(file) && digestOf(file) === null) return `${name} cannot be read, or is larger than can be trusted`;
    if (known !== undefined && hashFile(name, file) !== known)
      return `${name} ${isRun(file) ? "changed" : "is gone"} since it was trusted`;
    if (known === undefined && isRun(file)) return `${name} is not trusted yet`;
    if (file.kind === "missing") return `${name} is not there; once it is, it has to be trusted`;
  }
  return null;
}

/** The rest is protected without being run, or is what runs here already. */
function isRun({ kind, path }: HostFile): boolean {
  return (kind === "program" || kind === "manifest") && !isOfOwnPackage(path);
}

/** A missing file has a hash as well: a script that may be missing must not go unnoticed. */
function hashFile(name: string, file: HostFile): string {
  return hashText(JSON.stringify([PATH, name, isRun(file) ? digestOf(file) : null]));
}

function digestOf({ path }: HostFile): string | null {
  return readFacts(path)?.digest() ?? null;
}

/** The name under which a file is trusted. */
export function toTrustName(path: string, { workspace }: TrustPlace): string {
  return contains(workspace, path) && path !== workspace ? relative(workspace, path) : path;
}
