import { setMaxListeners } from "node:events";
import { onAbort } from "../../system/time/until-aborted.ts";

/**
 * Does the work under a signal that is aborted when either of two is, and lets go of both when the work is done.
 * `AbortSignal.any` would keep a little of every call as long as the source lives.
 */
export async function underEither<T>(
  call: AbortSignal,
  source: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // As many as there are calls at once, also calls inside calls.
  setMaxListeners(0, source);
  const controller = new AbortController();
  const letGo = [call, source].map((signal) => onAbort(signal, () => controller.abort(signal.reason)));
  try {
    return await work(controller.signal);
  } finally {
    for (const each of letGo) each();
  }
}
