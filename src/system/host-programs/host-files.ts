import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isStandIn } from "../../core/rules/stand-in.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { contains } from "../paths/roots.ts";
import { type FileFacts, readFacts } from "./file-facts.ts";
import type { HostFile, HostProgram } from "./host-program.ts";
import { candidates, ENTRIES } from "./imports.ts";
import { fetchedPackages, type NamedPath, namedPaths } from "./named-paths.ts";

export interface HostPlace {
  /** The work folders, as given. */
  readonly roots: readonly string[];
  readonly home: string;
}

/** Further files are not followed, and so not run. */
export const MOST_HOST_FILES = 2_000;

/**
 * Everything in the work folders that decides what a program does: the files its entry names, what those load as far as
 * their text says, and where a file could appear. Installed packages are not examined.
 */
export function findHostFiles(program: HostProgram, place: HostPlace): readonly HostFile[] {
  const search = createSearch(program, place);
  for (const folder of program.folders ?? []) search.add(folder, "folder");
  if (program.envFile) search.add(program.envFile, "variables");
  for (const named of namedPaths(program, place.home)) lookAtNamed(named, search);
  for (const name of fetchedPackages(program)) lookAtFetched(name, program, search);
  search.follow();
  return search.found();
}

const INSTALLED = "node_modules";

/** `npx` and similar programs run what is installed in the workspace before they look anywhere else. */
function lookAtFetched(name: string, { folder }: HostProgram, search: Search): void {
  const bare = name.replace(/^@[^/]+\//, "");
  const [command, manifest] = [join(folder, INSTALLED, ".bin", bare), join(folder, INSTALLED, name, "package.json")];
  const isThere = [search.take(command, null), search.take(manifest, null)].includes(true);
  if (isThere) search.addPackage(folder, name.startsWith("@") ? name : bare);
}

interface Search {
  add(path: string, kind: HostFile["kind"]): void;
  /** Adds a file by its kind; false if there is none. */
  take(path: string, entry: string | null): boolean;
  /** Adds the location of an installed package that is loaded from a folder; false if it is not installed. */
  addPackage(folder: string, name: string): boolean;
  follow(): void;
  found(): readonly HostFile[];
}

function createSearch(by: HostProgram, { roots }: HostPlace): Search {
  const reals = roots.map((given) => ({ given, real: realpathOr(given) }));
  const found = new Map<string, HostFile>();
  const waiting: { readonly path: string; readonly facts: FileFacts; readonly entry: string }[] = [];
  const names = new Map<string, ReadonlySet<string>>();
  const isListed = (path: string): boolean => {
    const folder = dirname(path);
    let listed = names.get(folder);
    if (listed === undefined) {
      listed = listNames(folder);
      names.set(folder, listed);
    }
    return listed.has(basename(path));
  };
  /** Below the real path of a work folder; null for other locations. */
  const toOwn = (path: string): string | null => {
    for (const { given, real } of reals) {
      if (contains(real, path)) return path;
      if (contains(given, path)) return real + path.slice(given.length);
    }
    const leads = realpathOr(path);
    return reals.some(({ real }) => contains(real, leads)) ? leads : null;
  };
  const add = (path: string, kind: HostFile["kind"]): void => {
    const own = toOwn(path);
    if (own !== null && !found.has(own)) found.set(own, { path: own, kind, by });
  };
  const take = (path: string, entry: string | null): boolean => {
    if (!isListed(path)) return false;
    const own = toOwn(path);
    if (own === null || found.has(own)) return own !== null;
    const facts = readFacts(own);
    if (facts === null) return false;
    // A file that code only reads does not decide what runs.
    if (entry !== null && facts.kind === "named") return true;
    add(own, facts.kind);
    const isInstalled = own.includes("/node_modules/");
    if (facts.kind === "program" && !isInstalled) waiting.push({ path: own, facts, entry: entry ?? own });
    if (facts.kind === "manifest") for (const main of mainsOf(own)) take(main, entry ?? own);
    return true;
  };
  /** Whatever a package loads in turn lies beside it. */
  const addPackage = (folder: string, name: string): boolean => {
    const place = join(folder, INSTALLED);
    if (isListed(join(place, name))) {
      add(place, "folder");
      return true;
    }
    return dirname(folder) !== folder && toOwn(dirname(folder)) !== null && addPackage(dirname(folder), name);
  };
  return {
    add,
    take,
    addPackage,
    follow() {
      for (let next = waiting.shift(); next !== undefined && found.size <= MOST_HOST_FILES; next = waiting.shift()) {
        const { path: from, facts, entry } = next;
        for (const path of facts.imports(entry)) if (!path.includes("/node_modules/")) take(path, entry);
        for (const name of facts.packages()) addPackage(dirname(from), name);
      }
    },
    found: () => [...found.values()],
  };
}

function lookAtNamed({ path, isExplicit, isScript, isNeeded }: NamedPath, search: Search): void {
  if (isFolder(path)) {
    if (isScript) for (const name of ENTRIES) search.take(join(path, name), null);
    return;
  }
  const others = isScript ? candidates(path).slice(1) : [];
  const isThere = [path, ...others].map((one) => search.take(one, null)).includes(true);
  if (!isThere && isExplicit) search.add(path, isNeeded ? "missing" : "absent");
}

/** The entry points that a manifest names. */
function mainsOf(manifest: string): readonly string[] {
  const read = parseJson(readText(manifest));
  if (!isRecord(read)) return [];
  const texts = [read.main, read.module, read.exports].flatMap(textsIn).filter((text) => !text.includes("*"));
  return texts.flatMap((text) => candidates(join(dirname(manifest), text)));
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function listNames(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch {
    return new Set();
  }
}

/** A sandbox's temporary stand-in does not count. */
function isFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && !isStandIn(found);
}

export function realpathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
