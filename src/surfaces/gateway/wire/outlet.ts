import type { StoredAsking } from "../../../runtime/crib/crib.ts";
import type { PermissionRequest } from "../../../runtime/permissions/permission-request.ts";

/** One call that may wait for somebody, on this machine. */
export interface MovableCall {
  /** Stores that somebody is asked about it, before that happens; null if a part of it may already have run. */
  ask(request: PermissionRequest): Promise<StoredAsking | null>;
  /** Before it is answered: false if another machine has taken it over and will answer. */
  mayAnswer(): Promise<boolean>;
}

/** Where messages to a client go before and in addition to the answer to a request. */
export interface Outlet {
  /** False if it cannot be sent that way, or no longer. */
  send(text: string): boolean;
  /** The same for messages that a returning client gets again. */
  readonly sendStored?: (text: string) => Promise<boolean>;
}

/** One whose client may leave before the end. */
export interface LeavableOutlet extends Outlet {
  /** Calls back when the client went away, at once if it has already; returns how to unsubscribe. */
  onGone(listener: () => void): () => void;
  /** Somebody is asked, which may take long: lets the client come back if its connection breaks in the meantime. */
  linger?(): void;
  /** Resolves when the client is there, at once if it is. */
  whenHere?(): Promise<void>;
  /** The call whose answer goes here, if another machine can give it; null if none can. */
  waiting?(): Promise<MovableCall | null>;
}
