/** A folder as people write it, and its real location. */
export interface FolderAlias {
  readonly given: string;
  readonly real: string;
}

/** An entry of a folder, as far as it matters for following links. */
interface ListedName {
  readonly name: string;
  readonly kind: "link" | "folder" | "other";
}

/** Where relative paths start and where links lead. */
export interface PathWorld {
  readonly cwd: string;
  readonly home: string;
  readonly workspace: string;
  /** Further folders that count like the workspace. */
  readonly added?: readonly string[];
  /** Folders reached through links; rules and calls may use either name. */
  readonly aliases?: readonly FolderAlias[];
  /** The target of a symbolic link as written, or null for anything else. */
  readonly readLink: (absolute: string) => string | null;
  /** The entries of a folder; null if it is none or cannot be listed. Absent without file system access. */
  readonly list?: (folder: string) => readonly ListedName[] | null;
  /**
   * Whose repository git uses in a folder: the workspace's own, or another one, whose settings may decide what git
   * runs. Absent without file system access.
   */
  readonly repositoryAt?: (folder: string) => "own" | "other";
  /** Absent if the command runs without a sandbox. */
  readonly confinement?: Confinement;
  /** Which part of the configuration runs this file outside any sandbox, as a clause to follow its name; else null. */
  readonly host?: (absolute: string) => string | null;
}

/** What a sandbox guarantees to the rules: nothing outside the work folders can be written. */
export interface Confinement {
  /** Whether denied files are hidden by the sandbox, given the literal start of a pattern about them. */
  readonly covers: (start: string) => boolean;
  /** Why some files cannot be covered; absent if all are covered, or none has to be. */
  readonly missed?: string;
}

/** A sandbox that covers files in the work folders and shows only these other places. */
export function confine(world: Pick<PathWorld, "workspace" | "added">, shown: () => readonly string[]): Confinement {
  const isShown = (start: string): boolean => shown().some((place) => isInside(place, start) || isInside(start, place));
  return { covers: (start) => isAtWork(start, world) || !isShown(start) };
}

const MAX_LINKS = 40;
/** No system opens a longer path. */
const MAX_PATH = 4_096;

/** Splits a path into its names; `.` and repeated separators vanish, `..` stays. */
export function toSegments(path: string): readonly string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

/** Resolves `..` by text alone. */
export function normalize(path: string): string {
  const kept: string[] = [];
  for (const segment of toSegments(path)) {
    if (segment === "..") kept.pop();
    else kept.push(segment);
  }
  return `/${kept.join("/")}`;
}

/**
 * Every place that a path may mean: by its text, and with each link followed. Null if links form a circle or the text
 * is too long for a path: where that leads is unknown.
 */
export function placesOf(path: string, base: string, world: PathWorld): readonly string[] | null {
  const absolute = path.startsWith("/") ? path : `${base}/${path}`;
  if (absolute.length > MAX_PATH) return null;
  const lexical = throughAliases(normalize(absolute), world.aliases);
  const real = follow(absolute, world);
  if (real === null) return null;
  return real === lexical ? [lexical] : [lexical, real];
}

/** The same path below the folder's real location; the rest may contain patterns. */
export function throughAliases(path: string, aliases: readonly FolderAlias[] = []): string {
  const alias = aliases.find(({ given }) => isInside(path, given));
  return alias === undefined ? path : alias.real + path.slice(alias.given.length);
}

export function isInside(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

/** Whether the path lies in the workspace or in a folder added to it. */
export function isAtWork(path: string, { workspace, added = [] }: Pick<PathWorld, "workspace" | "added">): boolean {
  return isInside(path, workspace) || added.some((folder) => isInside(path, folder));
}

/** A map of links as the reader that `PathWorld` needs; relative names start in the workspace. */
export function fromSymlinks(links: Iterable<readonly [string, string]>, workspace: string): PathWorld["readLink"] {
  const known = new Map<string, string>();
  for (const [name, target] of links)
    known.set(normalize(name.startsWith("/") ? name : `${workspace}/${name}`), target);
  return (absolute) => known.get(absolute) ?? null;
}

function follow(absolute: string, { readLink }: PathWorld): string | null {
  const pending = [...toSegments(absolute)].reverse();
  let place: string[] = [];
  let links = 0;
  while (pending.length > 0) {
    const segment = pending.pop() ?? "";
    if (segment === "..") {
      place.pop();
      continue;
    }
    const target = readLink(`/${[...place, segment].join("/")}`);
    if (target === null) {
      place.push(segment);
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return null;
    if (target.startsWith("/")) place = [];
    pending.push(...[...toSegments(target)].reverse());
  }
  return `/${place.join("/")}`;
}
