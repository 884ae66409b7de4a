import type { FeedMessage } from "../../../runtime/store/store.ts";
import { toStreamMessage } from "./stream-message.ts";

export interface ReturnPorts {
  /** Milliseconds within which the client must come back, each time that it is away. */
  readonly window: number;
  /** Messages of other machines about the stream, from its beginning. */
  readonly follow: (heard: (message: FeedMessage) => void) => () => void;
  readonly lives: (machine: string) => Promise<boolean>;
  readonly onBack: () => void;
  readonly onAway: () => void;
  /** It did not come back in time. */
  readonly onLate: () => void;
}

/** Milliseconds between checks whether the machine that the client came back to is alive. */
const LOOK = 2_000;

/** Waits for a client that is away from now on; it may come and go, on any machine. Returns how to stop. */
export function awaitReturn({ window, follow, lives, ...on }: ReturnPorts): () => void {
  let timer = setTimeout(on.onLate, window);
  /** Where it is now; null while it is away. */
  let visit: { readonly id: string | undefined; readonly machine: string | undefined } | null = null;
  const leave = (): void => {
    visit = null;
    clearTimeout(timer);
    timer = setTimeout(on.onLate, window);
    on.onAway();
  };
  const stop = follow((message) => {
    const told = toStreamMessage(message);
    if (told?.kind === "back") {
      visit = { id: told.visit, machine: told.machine };
      clearTimeout(timer);
      on.onBack();
    }
    // A broken connection is often noticed after the client has come back on another.
    if (told?.kind === "gone" && visit !== null && visit.id === told.visit) leave();
  });
  // A killed machine does not report that its client is away.
  const look = setInterval(() => {
    const at = visit;
    if (at?.machine === undefined) return;
    lives(at.machine).then(
      (isAlive) => (isAlive || visit !== at ? undefined : leave()),
      () => {}, // Unreachable: the next check will do.
    );
  }, LOOK);
  look.unref();
  return () => {
    clearTimeout(timer);
    clearInterval(look);
    stop();
  };
}
