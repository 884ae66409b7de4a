import { setMaxListeners } from "node:events";

/**
 * A program may hand one signal to any number of calls and sessions. Each lets go of it again, so that is no leak,
 * whatever Node makes of the number of listeners.
 */
export function shareSignal(signal: AbortSignal): AbortSignal {
  if (signal instanceof EventTarget) setMaxListeners(0, signal);
  return signal;
}
