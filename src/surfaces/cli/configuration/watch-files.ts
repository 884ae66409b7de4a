import { type StatsListener, unwatchFile, watchFile } from "node:fs";

const EVERY = 400;
/** Editors write in several steps. */
const SETTLED = 150;

/**
 * Looks at files that may come, go and be replaced, and calls back a moment after the last change. What is to be watched
 * from then on is what the callback answers. Looking costs less than it seems and works on every file system.
 */
export function watchFiles(
  first: readonly string[],
  onChange: () => Promise<readonly string[]>,
  onError: (text: string, error: unknown) => void,
  keepsRunning = false,
): () => void {
  const watched = new Set<string>();
  let timer: NodeJS.Timeout | null = null;
  let isBusy = false;
  let again = false;
  let closed = false;

  const listener: StatsListener = (now, before) => {
    const isSame = now.mtimeMs === before.mtimeMs && now.size === before.size && now.ino === before.ino;
    if (isSame && now.nlink === before.nlink) return;
    runIn(SETTLED);
  };
  const runIn = (delay: number): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => void run(), delay);
    if (!keepsRunning) timer.unref();
  };
  const watch = (paths: readonly string[]): void => {
    for (const path of [...watched].filter((known) => !paths.includes(known))) {
      watched.delete(path);
      unwatchFile(path, listener);
    }
    const added = paths.filter((path) => !watched.has(path));
    for (const path of added) {
      watched.add(path);
      watchFile(path, { interval: EVERY, persistent: keepsRunning }, listener);
    }
    // What changed after it was read and before it was looked at for the first time would never be noticed.
    if (added.length > 0) runIn(EVERY);
  };
  const run = async (): Promise<void> => {
    if (isBusy) {
      again = true;
      return;
    }
    isBusy = true;
    try {
      do {
        again = false;
        const paths = await onChange();
        if (!closed) watch(paths);
      } while (again && !closed);
    } catch (error) {
      onError("the configuration could not be read again", error);
    } finally {
      isBusy = false;
    }
  };

  watch(first);
  return () => {
    closed = true;
    if (timer !== null) clearTimeout(timer);
    for (const path of watched) unwatchFile(path, listener);
    watched.clear();
  };
}
