import type { Cancelling } from "../../../core/call/cancelling.ts";
import type { Validator } from "../../../runtime/executor/validator.ts";
import type { Era, PeerClient } from "../../../sources/peer.ts";
import type { Offer } from "../tools/offer.ts";
import type { Params } from "../wire/json-rpc.ts";
import type { LeavableOutlet } from "../wire/outlet.ts";
import type { View } from "./view.ts";

/** A client, whatever it speaks through. */
export interface Front {
  readonly era: Era;
  readonly view: View;
  /** What it was shown last: its calls are looked up there (E1). */
  shown: Offer | null;
  /** Counts calls for those who look. */
  calls: number;
  /** Whether any request is being worked on, also one that waits for its client. */
  readonly isBusy: boolean;
  /** Calls back when it is closed from this side; returns how to stop that. */
  onClose(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Whether what the client was shown stays as it is, so that other tools are called through one of those. */
export function callsThrough({ era, view }: Pick<Front, "era" | "view">): boolean {
  return era === "modern" || view.session.toolset.scene.client?.listChanged === false;
}

/** One request of a client on its way. */
export interface Exchange {
  readonly cancelling: Cancelling;
  /** Who is asked and told while the request is worked on. */
  readonly client: PeerClient;
  /** What the request said besides its parameters, to be passed on. */
  readonly meta: Params | undefined;
  /** Where its answer goes, where that is known to end with the client's connection. */
  readonly outlet?: Partial<LeavableOutlet>;
  /** Whether it is a call inside of that request, which has begun. */
  readonly isInner?: boolean;
}

/** Calls that are running now, so that the one to ask about a call is found. */
export interface RunningCalls {
  readonly byId: Map<string, Exchange>;
  /** Those that nobody could be asked about, because the store is away. */
  readonly unstored: Set<string>;
  nextId(): string;
  /** Compares changed results with what their tools promise. */
  readonly validator: Validator;
}
