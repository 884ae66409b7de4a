import type { StoredAsking } from "../../../runtime/crib/crib.ts";
import type { PermissionRequest } from "../../../runtime/permissions/permission-request.ts";

/** One call that may wait for somebody, as this machine has it. */
export interface MovableCall {
  /** Stores that somebody is asked about it, before that happens; null where a part of it may have run already. */
  ask(request: PermissionRequest): Promise<StoredAsking | null>;
  /** Before it is answered: false where another machine has taken it over, and the answer is that one's to give. */
  mayAnswer(): Promise<boolean>;
}

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
  /** Somebody is asked, which may take long: lets the client come back where its connection breaks meanwhile. */
  linger?(): void;
  /** Resolves when the client is there, at once if it is. */
  whenHere?(): Promise<void>;
  /** The call whose answer goes here, where another machine can give it; null where none can. */
  waiting?(): Promise<MovableCall | null>;
}
