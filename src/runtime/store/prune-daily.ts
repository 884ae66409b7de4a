import { type Clock, SYSTEM_CLOCK, type Timer } from "../../system/time/clock.ts";
import { keepNobodyAwake } from "../../system/time/keep-nobody-awake.ts";
import type { Store } from "./store.ts";

const DAY = 86_400_000;
/**
 * Sessions per batch, and batches per day: pruning a store that was left alone for years must not keep anybody waiting.
 */
const AT_ONCE = 100;
const TIMES = 20;
/** Milliseconds between checks whether pruning is due; it is due once a day for all processes together. */
const LOOK = 3_600_000;

export interface PruneDailyOptions {
  /** Days for which an unchanged session is kept. */
  readonly keep: () => number;
  /** The project that the sessions belong to. */
  readonly project: string;
  readonly clock?: Clock;
  readonly today?: () => number;
}

/**
 * Deletes old sessions now and once a day, in one of all the processes that use the store; returns how to stop (S10).
 */
export function pruneDaily(store: Pick<Store, "keyValues" | "prune">, options: PruneDailyOptions): () => void {
  const { keep, project, clock = SYSTEM_CLOCK, today = Date.now } = options;
  const values = store.keyValues({ name: "pruned", person: "", project });
  let timer: Timer = null;
  let isStopped = false;
  const prune = async (): Promise<void> => {
    let isOurs = false;
    await values.change("last", (last) => {
      const at = typeof last === "number" ? last : 0;
      // A time in the future comes from a wrong clock.
      isOurs = today() - at >= DAY || at > today() + DAY;
      return isOurs ? today() : last;
    });
    for (let time = 0; isOurs && !isStopped && time < TIMES; time += 1)
      isOurs = (await store.prune(keep() * DAY, { project, limit: AT_ONCE })) === AT_ONCE;
  };
  const again = (): void => {
    // An unreachable store is pruned another time.
    void prune()
      .catch(() => {})
      .then(() => {
        if (isStopped) return;
        timer = clock.setTimeout(again, LOOK);
        keepNobodyAwake(timer);
      });
  };
  again();
  return () => {
    isStopped = true;
    clock.clearTimeout(timer);
  };
}
