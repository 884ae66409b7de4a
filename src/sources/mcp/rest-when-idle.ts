import type { Clock, Timer } from "../../system/time/clock.ts";
import type { ConnectionPlaces, PlaceHolder } from "../parts/connection-places.ts";
import { StartFailure } from "../parts/start-failure.ts";
import type { Connection } from "./connection.ts";

export interface RestOptions {
  readonly places: ConnectionPlaces;
  readonly clock: Clock;
  /** The connection that runs now. */
  readonly connection: () => Connection | null;
  /** Somebody follows a resource of it, and would hear no more of that. */
  readonly isFollowed: () => boolean;
  /** Ends the connection until it is used. */
  readonly rest: () => unknown;
}

/** What a server does that only one person uses: it takes a place to run, and rests where nobody uses it. */
export interface Resting {
  /** Why there was no place for it when it was to start last, as a clause that follows "because"; null if there was. */
  readonly unplaced: string | null;
  /** Runs work that uses the server. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Opens a connection, if there is a place for it. */
  open(start: () => Promise<Connection>): Promise<Connection>;
  close(): void;
}

export function createResting({ places, clock, connection, isFollowed, rest }: RestOptions): Resting {
  let users = 0;
  let usedAt = clock.now();
  let timer: Timer | null = null;
  let giveBack: (() => void) | null = null;
  let unplaced: string | null = null;

  const free = (): void => {
    giveBack?.();
    giveBack = null;
  };
  const stop = (): void => {
    if (timer !== null) clock.clearTimeout(timer);
    timer = null;
  };
  const wait = (): void => {
    stop();
    if (users === 0) timer = clock.setTimeout(end, places.idle);
  };
  const end = (): void => {
    timer = null;
    if (isFollowed()) wait();
    else holder.rest();
  };
  const holder: PlaceHolder = {
    get isIdle() {
      return users === 0 && connection() !== null && !isFollowed();
    },
    get usedAt() {
      return usedAt;
    },
    rest() {
      stop();
      free();
      rest();
    },
  };
  return {
    get unplaced() {
      return unplaced;
    },
    async during(work) {
      users += 1;
      stop();
      try {
        return await work();
      } finally {
        users -= 1;
        usedAt = clock.now();
        wait();
      }
    },
    async open(start) {
      free();
      const taken = places.take(holder);
      unplaced = typeof taken === "string" ? taken : null;
      if (typeof taken === "string") throw toUnadmitted(taken);
      giveBack = taken;
      usedAt = clock.now();
      try {
        const opened = await start();
        // A place is that of one connection: a later one has its own.
        void opened.lost.then(() => {
          if (giveBack === taken) free();
        });
        wait();
        return opened;
      } catch (error) {
        if (giveBack === taken) free();
        // One that fails again and again is not tried for longer than somebody uses it.
        if (timer === null) wait();
        throw error;
      }
    },
    close() {
      stop();
      free();
    },
  };
}

function toUnadmitted(why: string): StartFailure {
  const next = "Try again in a while, when some of them are used no more.";
  return new StartFailure(`is not started, because ${why}`, { isUnadmitted: true, next });
}
