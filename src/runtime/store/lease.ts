import type { Clock, Timer } from "../../system/time/clock.ts";
import { keepNobodyAwake } from "../../system/time/keep-nobody-awake.ts";

/** In milliseconds. */
export interface LeaseTimes {
  /** Between two beats. */
  readonly beat: number;
  /** After which a process that could not beat starts nothing, by its own clock, which never goes back. */
  readonly lost: number;
  /** After which others take over what it holds, by the store's clock. */
  readonly takeOver: number;
}

export const LEASE_TIMES: LeaseTimes = { beat: 3_000, lost: 7_000, takeOver: 10_000 };

/** What keeps others from taking over the sessions that this process holds. */
export interface Lease {
  /** Whether it was renewed lately enough that nobody can have taken over. */
  isGood(): boolean;
  /** Renews it now, and from then on again and again until `stop`. */
  start(): Promise<void>;
  /** The same without waiting for the first time, and going on although it may fail. */
  begin(): void;
  stop(): void;
}

/** Told that the store is away, with why, and null once it is back. */
export type OnReach = (error: unknown) => void;

/** Each beat counts from its start: how long the store took to answer is time that others may have seen pass. */
export function createLease(
  beat: () => Promise<void>,
  times: LeaseTimes,
  clock: Clock,
  onReach: OnReach = () => {},
): Lease {
  let renewed = Number.NEGATIVE_INFINITY;
  let timer: Timer = null;
  let running = false;
  let isAway = false;
  const renew = async (): Promise<void> => {
    const started = clock.now();
    try {
      await beat();
    } catch (error) {
      if (!isAway && running) onReach(error);
      isAway = running;
      throw error;
    }
    renewed = started;
    if (isAway) onReach(null);
    isAway = false;
  };
  const again = (): void => {
    timer = clock.setTimeout(() => {
      void renew()
        .catch(() => undefined) // The next beat tries again; meanwhile `isGood` says what may still be started.
        .then(() => {
          if (running) again();
        });
    }, times.beat);
    keepNobodyAwake(timer); // Others take over from it as from any that ended.
  };
  return {
    isGood: () => clock.now() - renewed < times.lost,
    async start() {
      if (running && clock.now() - renewed < times.beat) return;
      await renew();
      if (running) return;
      running = true;
      again();
    },
    begin() {
      if (running) return;
      running = true;
      void renew().catch(() => undefined);
      again();
    },
    stop() {
      running = false;
      clock.clearTimeout(timer);
      renewed = Number.NEGATIVE_INFINITY;
    },
  };
}
