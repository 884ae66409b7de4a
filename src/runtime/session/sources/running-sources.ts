import type { Source } from "../../../sources/source.ts";
import type { WantedSource } from "./configured-sources.ts";
import type { LiveTools } from "./live-tools.ts";

interface RunningPorts {
  readonly live: Pick<LiveTools, "add" | "remove">;
  readonly open: ((wanted: WantedSource) => Promise<Source>) | undefined;
  readonly wanted: () => Promise<readonly WantedSource[]>;
  readonly isClosed: () => boolean;
}

/** Starts what is newly wanted and ends what is wanted no more, each time it is called; what stays is not touched. */
export function createReconciler({ live, open = (one) => one.open(), wanted, isClosed }: RunningPorts) {
  const running = new Map<string, Source>();
  return async (): Promise<void> => {
    const list = await wanted();
    const keys = new Set(list.map(({ key }) => key));
    const ended = [...running].filter(([key]) => !keys.has(key));
    for (const [key] of ended) running.delete(key);
    const opened = await Promise.all(
      list.filter(({ key }) => !running.has(key)).map(async (one) => [one.key, await open(one)] as const),
    );
    if (isClosed()) {
      await Promise.all(opened.map(([, source]) => source.close()));
      return;
    }
    for (const [key, source] of opened) {
      running.set(key, source);
      live.add(source);
    }
    await Promise.all(ended.map(([, source]) => live.remove(source)));
  };
}
