import type { Stats } from "node:fs";
import { dirname, join } from "node:path";
import type { Disk } from "../../../system/paths/disk.ts";

/** The name of another file that is this very file and that rules close to reading; null if none is found. */
export type FindTwin = (real: string, own: Stats) => Promise<string | null>;

interface ClosedFile {
  readonly name: string;
  readonly is: Pick<Stats, "dev" | "ino">;
}

/**
 * A hard link is the same file under another name. Nothing leads from one name to the others, so only the likely
 * folders are searched: its own and those above it, each once.
 */
export function createTwinFinder(disk: Disk, mayRead: (path: string) => boolean): FindTwin {
  const known = new Map<string, readonly ClosedFile[]>();
  const closedIn = async (folder: string): Promise<readonly ClosedFile[]> => {
    const names = await disk.readdir(folder).catch((): string[] => []);
    const closed = names.filter((name) => !mayRead(join(folder, name)));
    const found = await Promise.all(closed.map((name) => disk.lstat(join(folder, name)).catch(() => null)));
    return found.flatMap((is, at) => (is === null ? [] : [{ name: closed[at] ?? "", is }]));
  };
  return async (real, own) => {
    if (!own.isFile() || own.nlink < 2) return null;
    for (let folder = dirname(real); folder !== dirname(folder); folder = dirname(folder)) {
      const closed = known.get(folder) ?? (await closedIn(folder));
      known.set(folder, closed);
      const twin = closed.find(({ is }) => is.ino === own.ino && is.dev === own.dev);
      if (twin !== undefined) return twin.name;
    }
    return null;
  };
}
