import type { Clock, Timer } from "./clock.ts";

/** A timeout that pauses while somebody is being asked. Pauses nest. */
export interface PausableTimer {
  pause(): void;
  resume(): void;
  stop(): void;
}

export function createPausableTimer(clock: Clock, delay: number, onTime: () => void): PausableTimer {
  return new CallTimer(clock, delay, onTime);
}

/** A class because every call has two of them. */
class CallTimer implements PausableTimer {
  readonly #clock: Clock;
  readonly #onTime: () => void;
  #left: number;
  #since: number;
  #pauses = 0;
  #timer: Timer | null;
  #stopped = false;

  constructor(clock: Clock, delay: number, onTime: () => void) {
    this.#clock = clock;
    this.#onTime = onTime;
    this.#left = delay;
    this.#since = clock.now();
    this.#timer = clock.setTimeout(onTime, delay);
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#pauses > 1 || this.#stopped) return;
    this.#left = Math.max(0, this.#left - (this.#clock.now() - this.#since));
    this.#clear();
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses > 0 || this.#stopped) return;
    this.#since = this.#clock.now();
    this.#timer = this.#clock.setTimeout(this.#onTime, this.#left);
  }

  stop(): void {
    this.#stopped = true;
    this.#clear();
  }

  #clear(): void {
    if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }
}
