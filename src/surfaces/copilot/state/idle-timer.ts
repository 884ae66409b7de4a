import type { Timer } from "../../../system/time/clock.ts";
import type { Live } from "./live.ts";

interface IdleTimer {
  readonly end: () => void;
  timer: Timer;
}

const running = new WeakMap<Live, IdleTimer>();

/** Calls back once a session was not used for as long as whoever started the runtime says; never where nobody did. */
export function watchIdle(live: Live, end: () => void): void {
  if (live.server.idleTimeout === null) return;
  running.set(live, { end, timer: null });
  noteUse(live);
}

/** A client asked for something, or something happened. */
export function noteUse(live: Live): void {
  const idle = running.get(live);
  const { idleTimeout, around } = live.server;
  if (idle === undefined || idleTimeout === null) return;
  around.clock.clearTimeout(idle.timer);
  idle.timer = around.clock.setTimeout(idle.end, idleTimeout);
}

export function stopIdle(live: Live): void {
  live.server.around.clock.clearTimeout(running.get(live)?.timer);
  running.delete(live);
}
