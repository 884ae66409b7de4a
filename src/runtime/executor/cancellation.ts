import { setMaxListeners } from "node:events";
import type { Canceller, ToolResult } from "../../core/call/tool-result.ts";

/** Why a call or a whole batch is given up; the first one who says so counts (X7). */
export interface Cancellation {
  /** Made when it is first asked for: signals are what costs most about a short call. */
  readonly signal: AbortSignal;
  readonly by: Canceller | null;
  /** Resolves when it is given up. */
  readonly given: Promise<null>;
  cancel(by: Canceller): void;
  /** Calls back once it is given up, at once if it is already; returns how to stop that. */
  onCancel(listener: () => void): () => void;
}

/** With a parent: cancelled when that is, by whoever cancelled that. `release` lets go of it. */
export function createCancellation(parent?: Cancellation): Cancellation & { release(): void } {
  const listeners = new Set<() => void>();
  let controller: AbortController | null = null;
  let by: Canceller | null = null;
  let give = (_: null): void => {};
  const given = new Promise<null>((resolve) => {
    give = resolve;
  });
  const abort = (): void => controller?.abort(new DOMException(`cancelled by ${by}`, "AbortError"));
  const cancel = (who: Canceller): void => {
    if (by !== null) return;
    by = who;
    abort();
    give(null);
    for (const listener of listeners) listener();
    listeners.clear();
  };
  const release = parent?.onCancel(() => cancel(parent.by ?? "user"));
  return {
    get signal() {
      if (controller === null) {
        controller = new AbortController();
        // Every hook and handler of a call may listen, and each lets go again.
        setMaxListeners(0, controller.signal);
        if (by !== null) abort();
      }
      return controller.signal;
    },
    get by() {
      return by;
    },
    given,
    cancel,
    onCancel(listener) {
      if (by !== null) listener();
      else listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    release: release ?? (() => {}),
  };
}

/** Null as soon as it is given up, whether or not the work notices. */
export function orCancelled<T>(work: Promise<T>, { given }: Pick<Cancellation, "given">): Promise<T | null> {
  return Promise.race([given, work]);
}

const REASONS = {
  user: "The call was cancelled by the user",
  sibling: "The call was cancelled because another call of the same turn failed; nobody refused it",
  timeout: "The call took too long and was stopped",
  refusal: "The call was cancelled because the reply that asked for it was not finished",
  shutdown: "The call was cancelled because the session is closing",
} as const satisfies Record<Canceller, string>;

/** The one result of a call that was given up. It says who did it, so that no model reads a user's wish into it. */
export function cancelled(by: Canceller, started: boolean): ToolResult {
  const effect = started ? "It had started; whether it had an effect is unknown." : "It did not start.";
  return {
    textResultForLlm: `${REASONS[by]}. ${effect}`,
    resultType: by === "timeout" ? "timeout" : "failure",
    error: `cancelled: ${by}`,
    cancelledBy: by,
  };
}
