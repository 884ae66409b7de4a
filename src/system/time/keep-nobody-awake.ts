import type { Timer } from "./clock.ts";

/** A process that has nothing else to do may end before this timer does. */
export function keepNobodyAwake(timer: Timer): void {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function")
    timer.unref();
}
