import type { Timer } from "./clock.ts";

/** An otherwise idle process may end before this timer does. */
export function keepNobodyAwake(timer: Timer): void {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function")
    timer.unref();
}
