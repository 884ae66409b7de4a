import type { Clock, Timer } from "./clock.ts";

/** A time-out that does not count while somebody is being asked. Pauses nest. */
export interface PausableTimer {
  pause(): void;
  resume(): void;
  stop(): void;
}

export function createPausableTimer(clock: Clock, delay: number, onTime: () => void): PausableTimer {
  let left = delay;
  let since = clock.now();
  let pauses = 0;
  let timer: Timer | null = clock.setTimeout(onTime, delay);
  let stopped = false;
  const clear = () => {
    if (timer !== null) clock.clearTimeout(timer);
    timer = null;
  };
  return {
    pause() {
      pauses += 1;
      if (pauses > 1 || stopped) return;
      left = Math.max(0, left - (clock.now() - since));
      clear();
    },
    resume() {
      pauses -= 1;
      if (pauses > 0 || stopped) return;
      since = clock.now();
      timer = clock.setTimeout(onTime, left);
    },
    stop() {
      stopped = true;
      clear();
    },
  };
}
