import type { Cancelling } from "../../../core/call/cancelling.ts";
import type { Validator } from "../../../runtime/executor/validator.ts";
import type { Era, PeerClient } from "../../../sources/peer.ts";
import type { PassingMap } from "../../../system/passing.ts";
import type { Offer } from "../tools/offer.ts";
import type { Params } from "../wire/json-rpc.ts";
import type { LeavableOutlet } from "../wire/outlet.ts";
import type { View } from "./view.ts";

/** A client, over any transport. */
export interface Front {
  readonly era: Era;
  readonly view: View;
  /** What it was shown last: its calls are looked up there (E1). */
  shown: Offer | null;
  /** Counts calls, for people. */
  calls: number;
  /** Whether any request is in progress, including one that waits for its client. */
  readonly isBusy: boolean;
  close(): Promise<void>;
}

/** Whether the client's list is fixed, so that other tools are called through one in it. */
export function callsThrough({ era, view }: Pick<Front, "era" | "view">): boolean {
  return era === "modern" || view.session.toolset.scene.client?.listChanged === false;
}

/** One request of a client in progress. */
export interface Exchange {
  readonly cancelling: Cancelling;
  /** The client to ask and notify while the request is in progress. */
  readonly client: PeerClient;
  /** The `_meta` of the request, to be passed on. */
  readonly meta: Params | undefined;
  /** Where its answer goes, if that is known to end with the client's connection. */
  readonly outlet?: Partial<LeavableOutlet>;
  /** Whether it is a call inside that request, which has begun. */
  readonly isInner?: boolean;
}

/** Running calls, so that the client to ask about a call is found. */
export interface RunningCalls {
  readonly byId: PassingMap<string, Exchange>;
  /** Calls that nobody could be asked about, because the store is unreachable. */
  readonly unstored: Set<string>;
  nextId(): string;
  /** Compares changed results with their tools' output schemas. */
  readonly validator: Validator;
}
