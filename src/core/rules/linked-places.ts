import { matchesName } from "./glob-match.ts";
import { isAtWork, type PathWorld, placesOf, toSegments } from "./paths.ts";

/** Bounds the work; whatever is not reached may lead anywhere. */
const MOST_FOLDERS = 400;
const MOST_NAMES = 6_000;

/**
 * Where links lead that a shell pattern may match: `l*.txt`, or `*` followed by `/secret.txt`. Null if there are too
 * many names to tell. Empty without file system access, and if the pattern starts outside the work folders.
 */
export function placesOfPattern(pattern: string, base: string, world: PathWorld): readonly string[] | null {
  const { list } = world;
  const absolute = pattern.startsWith("/") ? pattern : `${base}/${pattern}`;
  const segments = toSegments(absolute);
  const first = segments.findIndex((segment) => /[*?[]/.test(segment));
  const start = `/${segments.slice(0, first).join("/")}`;
  if (list === undefined || first === -1 || !isAtWork(start, world)) return [];
  let left = MOST_NAMES;
  let folders = [start];
  const links: string[] = [];
  for (let at = first; at < segments.length; at++) {
    const segment = segments[at] ?? "";
    const isLast = at === segments.length - 1;
    if (!/[*?[]/.test(segment)) folders = folders.map((folder) => `${folder}/${segment}`);
    else {
      if (folders.length > MOST_FOLDERS) return null;
      const listed = folders.map((folder) => ({ folder, names: list(folder) ?? [] }));
      left -= listed.reduce((sum, { names }) => sum + names.length, 0);
      if (left < 0) return null;
      const found = listed.flatMap(({ folder, names }) =>
        names
          .filter(({ name, kind }) => kind !== "other" && matchesName(segment, name))
          .map(({ name, kind }) => ({ path: `${folder}/${name}`, kind })),
      );
      links.push(...found.filter(({ kind }) => kind === "link").map(({ path }) => path));
      folders = isLast ? [] : found.map(({ path }) => path);
    }
  }
  return realPlaces([...links, ...folders], world);
}

/** Where links below a folder lead, for programs that walk it and follow them. Null if there are too many to tell. */
export function placesBelow(folder: string, world: PathWorld): readonly string[] | null {
  const { list } = world;
  if (list === undefined || !isAtWork(folder, world)) return [];
  const links: string[] = [];
  const waiting = [folder];
  let left = MOST_NAMES;
  let seen = 0;
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const names = list(place) ?? [];
    left -= names.length;
    if (left < 0 || ++seen > MOST_FOLDERS) return null;
    for (const { name, kind } of names) {
      if (kind === "folder") waiting.push(`${place}/${name}`);
      else if (kind === "link") links.push(`${place}/${name}`);
    }
  }
  return realPlaces(links, world);
}

/** Null if links form a circle. */
function realPlaces(paths: readonly string[], world: PathWorld): readonly string[] | null {
  const places = paths.map((path) => placesOf(path, "/", world));
  return places.includes(null) ? null : [...new Set(places.flatMap((place) => place ?? []))];
}
