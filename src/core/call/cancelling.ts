/**
 * Whether a call was cancelled. Every call carries one and few look at it, and an `AbortSignal` costs the garbage
 * collector more than the rest of a short call, so the signal is made only on demand.
 */
export interface Cancelling {
  readonly isCancelled: boolean;
  readonly signal: AbortSignal;
  /** Calls back on cancellation, at once if it was cancelled already. Returns a function that unsubscribes. */
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
