import type { Clock, Timer } from "../../system/time/clock.ts";
import { keepNobodyAwake } from "../../system/time/keep-nobody-awake.ts";

/** In milliseconds. */
export interface LeaseTimes {
  /** Between two heartbeats. */
  readonly beat: number;
  /** After which a process without a successful heartbeat starts nothing, by its own monotonic clock. */
  readonly lost: number;
  /** After which others take over its sessions, by the store's clock. */
  readonly takeOver: number;
}

export const LEASE_TIMES: LeaseTimes = { beat: 3_000, lost: 7_000, takeOver: 10_000 };

/** Keeps others from taking over the sessions that this process holds. */
export interface Lease {
  /** Whether it was renewed recently enough that nobody can have taken over. */
  isGood(): boolean;
  /** Renews it now, and then periodically until `stop`. */
  start(): Promise<void>;
  /** The same without waiting for the first heartbeat, and even if that fails. */
  begin(): void;
  stop(): void;
}

/** Called with the error when the store becomes unreachable, and with null when it is back. */
export type OnReach = (error: unknown) => void;

/** A heartbeat counts from its start: others may have seen time pass while the store took to answer. */
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
        .catch(() => undefined) // The next heartbeat tries again; until then `isGood` decides what may still be started.
        .then(() => {
          if (running) again();
        });
    }, times.beat);
    keepNobodyAwake(timer); // Others take over from it as from any process that ended.
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
