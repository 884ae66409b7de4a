import { setMaxListeners } from "node:events";
import type { Cancelling } from "../../core/call/cancelling.ts";
import type { Eventual } from "../../core/call/eventual.ts";
import type { Canceller, ToolResult } from "../../core/call/tool-result.ts";
import { createPassingSet, type PassingSet } from "../../system/passing.ts";

/** Why a call or a whole batch is cancelled; the first reason counts. */
export interface Cancellation extends Cancelling {
  readonly by: Canceller | null;
  cancel(by: Canceller): void;
}

/** A cancellation that depends on others. */
export interface ReleasableCancellation extends Cancellation {
  /** Unsubscribes from those that could cancel it. */
  release(): void;
}

/**
 * With a parent: cancelled when that is, with the same canceller; with somebody `given`: as the user when they cancel.
 */
export function createCancellation(parent?: Cancellation, given?: Cancelling | null): ReleasableCancellation {
  return new TiedCancellation(parent, given);
}

/**
 * A class because there is one per call: an object literal with a getter gets its own shape each time, which keeps
 * everything that the getter sees alive until the next full garbage collection.
 */
class TiedCancellation implements ReleasableCancellation {
  #by: Canceller | null = null;
  #controller: AbortController | null = null;
  /** Most have one listener at a time, and a set would cost more than everything else here. */
  #listener: (() => void) | null = null;
  #others: PassingSet<() => void> | null = null;
  readonly #leaveParent: (() => void) | null;
  readonly #leaveGiven: (() => void) | null;

  constructor(parent?: Cancellation, given?: Cancelling | null) {
    this.#leaveParent = parent?.onCancel(() => this.cancel(parent.by ?? "user")) ?? null;
    this.#leaveGiven = given?.onCancel(() => this.cancel("user")) ?? null;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      // Every hook and handler of a call may listen, and each unsubscribes again.
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
    const first = this.#listener;
    this.#listener = null;
    first?.();
    // A listener may remove another one.
    for (const listener of this.#others ?? []) if (this.#others?.has(listener) === true) listener();
    this.#others = null;
  }

  onCancel(listener: () => void): () => void {
    if (this.#by !== null) listener();
    else if (this.#listener === null) this.#listener = listener;
    else {
      this.#others ??= createPassingSet();
      this.#others.add(listener);
    }
    return () => {
      if (this.#listener === listener) this.#listener = null;
      else this.#others?.delete(listener);
    };
  }

  release(): void {
    this.#leaveParent?.();
    this.#leaveGiven?.();
  }

  #abort(): void {
    this.#controller?.abort(new DOMException(`cancelled by ${this.#by}`, "AbortError"));
  }
}

/** Null as soon as it is cancelled, whether or not the work notices. */
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

/** The one result of a cancelled call. It says who cancelled, so that no model reads a user's wish into it. */
export function cancelled(by: Canceller, started: boolean): ToolResult {
  const effect = started ? "It had started; whether it had an effect is unknown." : "It did not start.";
  return {
    textResultForLlm: `${REASONS[by]}. ${effect}`,
    resultType: by === "timeout" ? "timeout" : "failure",
    error: `cancelled: ${by}`,
    cancelledBy: by,
  };
}
