import type { Machines } from "../shared/machines.ts";
import type { Outlet } from "../wire/outlet.ts";

/** The streams that a client keeps open for messages that belong to no request of its own. */
export interface StandingStreams extends Outlet {
  readonly size: number;
  /** For messages that cannot wait: false while no stream is open. */
  readonly atOnce: Outlet;
  /** Adds one, and sends what waited for it; returns how to remove it. */
  add(outlet: Outlet): () => void;
}

/** Messages that wait while no stream is open; a client that never opens one must cost nothing. */
const MOST_WAITING = 100;

export function createStandingStreams(onOpened: () => void): StandingStreams {
  const outlets = new Set<Outlet>();
  const waiting = new Set<string>();
  /** Each message goes to one stream only: the one that was opened last. */
  const deliver = (text: string): boolean => [...outlets].reverse().some((outlet) => outlet.send(text));
  return {
    get size() {
      return outlets.size;
    },
    atOnce: { send: deliver },
    send(text) {
      if (deliver(text)) return true;
      if (waiting.size < MOST_WAITING) waiting.add(text);
      return false;
    },
    add(outlet) {
      const own: Outlet = { send: (text) => outlet.send(text) };
      outlets.add(own);
      for (const text of waiting) if (own.send(text)) waiting.delete(text);
      onOpened();
      return () => void outlets.delete(own);
    },
  };
}

/** Sends a client what belongs to a request that was answered long ago, to whatever machine it listens. */
export function sendAfterwards(
  text: string,
  { id, streams }: { readonly id: string; readonly streams: StandingStreams },
  machines: Machines | null,
): void {
  if (streams.atOnce.send(text)) return;
  if (machines === null) streams.send(text);
  else machines.tellOthers({ kind: "send", session: id, text });
}
