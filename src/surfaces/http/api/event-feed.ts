import type { SessionEvent } from "../../../core/events/envelope.ts";
import type { CribView } from "../../../runtime/crib/crib.ts";
import { describeView } from "../../../runtime/crib/profile.ts";

/** The session that an event comes from. */
export interface Teller {
  /** The session's id. */
  readonly id: string;
  readonly label: string;
}

type FeedListener = (teller: Teller, event: SessionEvent) => void;

/** The events of all sessions, in one place. */
export interface EventFeed {
  /** Subscribes to one more session until it closes; a crib calls this for each of its own. */
  watch(
    view: Pick<CribView, "label" | "principal"> & { readonly session: Pick<CribView["session"], "id" | "on"> },
  ): void;
  listen(listener: FeedListener): () => void;
}

export function createEventFeed(): EventFeed {
  const listeners = new Set<FeedListener>();
  return {
    watch({ session, label, principal }) {
      const teller = { id: session.id, label: describeView({ label, principal }) };
      session.on("*", (event) => {
        for (const listener of listeners) listener(teller, event);
      });
    },
    listen(listener) {
      const own: FeedListener = (teller, event) => listener(teller, event);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
