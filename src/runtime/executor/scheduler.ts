import { createPassingSet } from "../../system/passing.ts";
import { type Access, excludes } from "./access.ts";
import { createKeyring, type Keyring } from "./keyring.ts";

/** A slot in the queue, taken when a call arrives, long before it is known whether it may run. */
export interface CallSlot {
  /** The call could run now; resolves when it may. Resolves to false if the slot was released instead. */
  ready(access: Access): Promise<boolean>;
  /** Nobody waits for the call any longer, but its source has not stopped: it still excludes, but no longer counts. */
  linger(): void;
  readonly isRunning: boolean;
  /** It waits for a call that lingers. */
  readonly isStuck: boolean;
  /** Done, or cancelled. Twice is fine. */
  release(): void;
}

export interface Scheduler {
  /** `mayExclude` is what is known about a call before it is ready: one that may exclude others blocks them. */
  reserve(mayExclude: boolean): CallSlot;
  readonly running: number;
}

const MOST_AT_ONCE = 10;
/** Lingering calls take no slot up to this number; more of them are a flood, and are counted. */
const MOST_LINGERING = 20;

interface Place {
  access: Access | null;
  readonly mayExclude: boolean;
  isRunning: boolean;
  lingers: boolean;
  admit: (admitted: boolean) => void;
}

/**
 * Readers share, writers exclude. Calls that are ready are admitted in request order, and nothing passes a waiting
 * writer, whether it waits for others, for a person or for the end of the stream. A reader that is not ready yet blocks
 * nobody.
 */
export function createScheduler(limit = MOST_AT_ONCE, keyring: Keyring = createKeyring()): Scheduler {
  const places = createPassingSet<Place>();
  const running = createPassingSet<Place>();
  const others = keyring.join(() => admitNext());

  const isFull = (): boolean => {
    if (running.size < limit) return false;
    const lingering = [...running].filter(({ lingers }) => lingers).length;
    return running.size - Math.min(lingering, MOST_LINGERING) >= limit;
  };
  const fits = (access: Access): boolean => {
    if (isFull()) return false;
    for (const other of running) if (other.access !== null && excludes(access, other.access)) return false;
    return others.mayHold(access);
  };
  /** Everything that waits is behind the first one, which only lingering calls block. */
  const isStuck = (): boolean => {
    const first = [...places].find(
      ({ isRunning, access, mayExclude }) => !isRunning && (access !== null || mayExclude),
    );
    const { access = null } = first ?? {};
    if (access === null) return false;
    const inTheWay = [...running].filter(
      (other) => isFull() || (other.access !== null && excludes(access, other.access)),
    );
    return inTheWay.length > 0 && inTheWay.every(({ lingers }) => lingers);
  };
  const admitNext = (): void => {
    for (const place of places) {
      if (place.isRunning) continue;
      if (place.access === null) {
        if (place.mayExclude) return;
        continue;
      }
      if (!fits(place.access)) return;
      place.isRunning = true;
      running.add(place);
      others.hold(place.access);
      place.admit(true);
    }
  };

  const queue: Queue = {
    has: (place) => places.has(place),
    admitNext,
    isStuck,
    remove(place) {
      if (running.delete(place) && place.access !== null) others.release(place.access);
      return places.delete(place);
    },
  };

  return {
    get running() {
      return running.size;
    },
    reserve(mayExclude) {
      const place: Place = { access: null, mayExclude, isRunning: false, lingers: false, admit: () => {} };
      places.add(place);
      return new ReservedSlot(place, queue);
    },
  };
}

interface Queue {
  has(place: Place): boolean;
  admitNext(): void;
  isStuck(): boolean;
  /** False if it was already removed. */
  remove(place: Place): boolean;
}

/** A class for the same reason as a call's cancellation. */
class ReservedSlot implements CallSlot {
  readonly #place: Place;
  readonly #queue: Queue;

  constructor(place: Place, queue: Queue) {
    this.#place = place;
    this.#queue = queue;
  }

  ready(access: Access): Promise<boolean> {
    if (!this.#queue.has(this.#place)) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#place.admit = resolve;
      this.#place.access = access;
      this.#queue.admitNext();
    });
  }

  linger(): void {
    if (!this.#place.isRunning || !this.#queue.has(this.#place)) return;
    this.#place.lingers = true;
    this.#queue.admitNext();
  }

  get isRunning(): boolean {
    return this.#place.isRunning;
  }

  get isStuck(): boolean {
    return this.#place.access !== null && !this.#place.isRunning && this.#queue.isStuck();
  }

  release(): void {
    if (!this.#queue.remove(this.#place)) return;
    this.#place.admit(false);
    this.#queue.admitNext();
  }
}
