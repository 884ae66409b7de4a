import { setMaxListeners } from "node:events";

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
  const onCall = () => controller.abort(call.reason);
  const onSource = () => controller.abort(source.reason);
  call.addEventListener("abort", onCall, { once: true });
  source.addEventListener("abort", onSource, { once: true });
  if (call.aborted) onCall();
  if (source.aborted) onSource();
  try {
    return await work(controller.signal);
  } finally {
    call.removeEventListener("abort", onCall);
    source.removeEventListener("abort", onSource);
  }
}
