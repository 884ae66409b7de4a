import { setMaxListeners } from "node:events";

/**
 * A program may pass one signal to any number of calls and sessions. Each unsubscribes again, so this is no leak,
 * despite Node's warning about the number of listeners.
 */
export function shareSignal(signal: AbortSignal): AbortSignal {
  if (signal instanceof EventTarget) setMaxListeners(0, signal);
  return signal;
}
