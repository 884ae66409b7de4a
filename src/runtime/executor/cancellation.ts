import { setMaxListeners } from "node:events";
import type { Cancelling } from "../../core/call/cancelling.ts";
import type { Eventual } from "../../core/call/eventual.ts";
import type { Canceller, ToolResult } from "../../core/call/tool-result.ts";

/** Why a call or a whole batch is given up; the first one who says so counts (X7). */
export interface Cancellation extends Cancelling {
  readonly by: Canceller | null;
  cancel(by: Canceller): void;
}

/** With a parent: cancelled when that is, by whoever cancelled that. `release` lets go of it. */
export function createCancellation(parent?: Cancellation): ReleasableCancellation {
  return new ReleasableCancellation(parent);
}

/**
 * A class because there is one for every call: an object literal with a getter gets a shape of its own each time, which
 * keeps everything that the getter sees alive until the next full garbage collection.
 */
class ReleasableCancellation implements Cancellation {
  #by: Canceller | null = null;
  #controller: AbortController | null = null;
  #listeners: Set<() => void> | null = null;
  readonly #release: (() => void) | null;

  constructor(parent?: Cancellation) {
    this.#release = parent?.onCancel(() => this.cancel(parent.by ?? "user")) ?? null;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      // Every hook and handler of a call may listen, and each lets go again.
      setMaxListeners(0, this.#controller.signal);
      if (this.#by !== null) this.#abort();
    }
    return this.#controller.signal;
  }

  get by(): Canceller | null {
    return this.#by;
  }

  get isCancelled(): boolean {
    return this.#by !== null;
  }

  cancel(by: Canceller): void {
    if (this.#by !== null) return;
    this.#by = by;
    this.#abort();
    for (const listener of this.#listeners ?? []) listener();
    this.#listeners = null;
  }

  onCancel(listener: () => void): () => void {
    if (this.#by !== null) listener();
    else {
      this.#listeners ??= new Set();
      this.#listeners.add(listener);
    }
    return () => void this.#listeners?.delete(listener);
  }

  release(): void {
    this.#release?.();
  }

  #abort(): void {
    this.#controller?.abort(new DOMException(`cancelled by ${this.#by}`, "AbortError"));
  }
}

/** Null as soon as it is given up, whether or not the work notices. */
export function orCancelled<T>(work: Eventual<T>, cancellation: Cancellation): Eventual<T | null> {
  if (!(work instanceof Promise)) return cancellation.isCancelled ? null : work;
  return new Promise((resolve, reject) => {
    const stop = cancellation.onCancel(() => resolve(null));
    work.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: unknown) => {
        stop();
        reject(error);
      },
    );
  });
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
