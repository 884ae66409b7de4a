/**
 * Whether a call was given up. It is asked for by every call and needed by few, and an `AbortSignal` leaves more behind
 * for the garbage collector than all the rest of a short call; so one is made only for whoever asks for it.
 */
export interface Cancelling {
  readonly isCancelled: boolean;
  readonly signal: AbortSignal;
  /** Calls back once it is given up, at once if it is already; returns how to stop that. */
  onCancel(listener: () => void): () => void;
}

export function fromSignal(signal: AbortSignal): Cancelling {
  return new SignalCancelling(signal);
}

class SignalCancelling implements Cancelling {
  readonly signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  get isCancelled(): boolean {
    return this.signal.aborted;
  }

  onCancel(listener: () => void): () => void {
    const onAbort = (): void => listener();
    if (this.signal.aborted) onAbort();
    else this.signal.addEventListener("abort", onAbort, { once: true });
    return () => this.signal.removeEventListener("abort", onAbort);
  }
}
