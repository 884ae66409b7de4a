import { type Clock, SYSTEM_CLOCK, type Timer } from "../../system/time/clock.ts";
import { keepNobodyAwake } from "../../system/time/keep-nobody-awake.ts";
import type { Store } from "./store.ts";

const DAY = 86_400_000;
/** Sessions at a time, and how many times a day: a store that was left alone for years keeps nobody waiting. */
const AT_ONCE = 100;
const TIMES = 20;
/** Milliseconds between looks whether it is due, which it is once a day for all processes together. */
const LOOK = 3_600_000;

export interface PruneDailyOptions {
  /** Days for which a session that nobody changes is kept. */
  readonly keep: () => number;
  /** Whose sessions these are. */
  readonly project: string;
  readonly clock?: Clock;
  readonly today?: () => number;
}

/** Deletes old sessions now and once a day, in one process of all that use the store; returns how to stop that (S10). */
export function pruneDaily(store: Pick<Store, "keyValues" | "prune">, options: PruneDailyOptions): () => void {
  const { keep, project, clock = SYSTEM_CLOCK, today = Date.now } = options;
  const values = store.keyValues({ name: "pruned", person: "", project });
  let timer: Timer = null;
  let isStopped = false;
  const prune = async (): Promise<void> => {
    let isOurs = false;
    await values.change("last", (last) => {
      const at = typeof last === "number" ? last : 0;
      // One from the future is of a clock that was wrong.
      isOurs = today() - at >= DAY || at > today() + DAY;
      return isOurs ? today() : last;
    });
    for (let time = 0; isOurs && !isStopped && time < TIMES; time += 1)
      isOurs = (await store.prune(keep() * DAY, { project, limit: AT_ONCE })) === AT_ONCE;
  };
  const again = (): void => {
    // A store that is away is tidied up another time.
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
