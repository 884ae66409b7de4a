/** A folder as people write it, and where it really is. */
export interface FolderAlias {
  readonly given: string;
  readonly real: string;
}

/** What stands in a folder, as far as it matters where links lead. */
interface ListedName {
  readonly name: string;
  readonly kind: "link" | "folder" | "other";
}

/** Where relative paths start and where links lead. */
export interface PathWorld {
  readonly cwd: string;
  readonly home: string;
  readonly workspace: string;
  /** Further folders that count as the workspace does. */
  readonly added?: readonly string[];
  /** Folders that are reached through links, where rules and calls may name them either way. */
  readonly aliases?: readonly FolderAlias[];
  /** The target of a symbolic link as it is written, or null for anything else. */
  readonly readLink: (absolute: string) => string | null;
  /** What stands in a folder; null for what is none or cannot be listed. Absent where nobody can look at a disk. */
  readonly list?: (folder: string) => readonly ListedName[] | null;
  /**
   * Whose repository git works on in a folder: the workspace's own, or another one, whose settings may say what git runs.
   * Absent where nobody can look at a disk.
   */
  readonly repositoryAt?: (folder: string) => "own" | "other";
  /** Absent where no sandbox is around the command. */
  readonly confinement?: Confinement;
  /** What of the configuration runs a place outside any sandbox, as a clause behind its name; null where nothing does. */
  readonly host?: (absolute: string) => string | null;
}

/** What a sandbox around a command takes off the rules: nothing outside the folders of work can be written. */
export interface Confinement {
  /** Whether files that must not be read are covered, where a pattern about them starts. */
  readonly covers: (start: string) => boolean;
  /** Why files that it should cover cannot all be covered; absent where they are, or where nobody wants them to be. */
  readonly missed?: string;
}

/** A sandbox that covers files in the folders of work, and shows only these places besides. */
export function confine(world: Pick<PathWorld, "workspace" | "added">, shown: () => readonly string[]): Confinement {
  const isShown = (start: string): boolean => shown().some((place) => isInside(place, start) || isInside(start, place));
  return { covers: (start) => isAtWork(start, world) || !isShown(start) };
}

const MAX_LINKS = 40;
/** No system opens a path that is longer. */
const MAX_PATH = 4_096;

/** Splits a path into its names; `.` and doubled separators vanish, `..` stays. */
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
 * Every place that a path may mean: by its text, and with each link followed.
 * Null where links go round in circles, and for what is too long to be a path: nobody can tell where that leads.
 */
export function placesOf(path: string, base: string, world: PathWorld): readonly string[] | null {
  const absolute = path.startsWith("/") ? path : `${base}/${path}`;
  if (absolute.length > MAX_PATH) return null;
  const lexical = throughAliases(normalize(absolute), world.aliases);
  const real = follow(absolute, world);
  if (real === null) return null;
  return real === lexical ? [lexical] : [lexical, real];
}

/** The same path below the folder's real place; patterns may stand behind the folder's name. */
export function throughAliases(path: string, aliases: readonly FolderAlias[] = []): string {
  const alias = aliases.find(({ given }) => isInside(path, given));
  return alias === undefined ? path : alias.real + path.slice(alias.given.length);
}

export function isInside(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

/** Whether the path lies where work is done: in the workspace, or in a folder that was added to it. */
export function isAtWork(path: string, { workspace, added = [] }: Pick<PathWorld, "workspace" | "added">): boolean {
  return isInside(path, workspace) || added.some((folder) => isInside(path, folder));
}

/** A map of links as the reader that `PathWorld` wants; relative names start in the workspace. */
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
