import type { Live } from "../state/live.ts";
import type { ClientConnection } from "../wire/connection.ts";
import { textOf } from "../wire/wire-values.ts";

/** One kind of event that a client wants to be asked by. */
interface Interest {
  readonly connection: ClientConnection;
  readonly eventType: string;
}

const known = new WeakMap<Live, Map<string, Interest>>();

function interestsIn(live: Live): Map<string, Interest> {
  const interests = known.get(live) ?? new Map<string, Interest>();
  known.set(live, interests);
  return interests;
}

export function registerInterest(live: Live, connection: ClientConnection, eventType: unknown): string {
  const handle = live.server.around.newId();
  interestsIn(live).set(handle, { connection, eventType: textOf(eventType) ?? "" });
  return handle;
}

export function releaseInterest(live: Live, handle: unknown): void {
  interestsIn(live).delete(String(handle));
}

/** Whether a client that is still there wants to hear of such events. */
export function isAwaited(live: Live, eventType: string): boolean {
  return [...interestsIn(live).values()].some((one) => one.eventType === eventType && live.clients.has(one.connection));
}
