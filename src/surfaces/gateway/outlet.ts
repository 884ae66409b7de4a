/** Where messages to a client go before and besides the answer to a request. */
export interface Outlet {
  /** False when it cannot be sent that way (any more). */
  send(text: string): boolean;
  /** The same for what a client that comes back is sent again. */
  readonly sendKept?: (text: string) => Promise<boolean>;
}

/** One whose client may leave before the end. */
export interface LeavableOutlet extends Outlet {
  /** Calls back when the client went away, at once if it has already; returns how to stop that. */
  onGone(listener: () => void): () => void;
}
