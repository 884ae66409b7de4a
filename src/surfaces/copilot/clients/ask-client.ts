import { onAbort } from "../../../system/time/until-aborted.ts";
import type { Live } from "../state/live.ts";
import type { ClientConnection } from "../wire/connection.ts";
import type { Json } from "../wire/wire-values.ts";

const open = new WeakMap<Live, Map<AbortController, ClientConnection>>();

/**
 * Asks a client on behalf of a session. There is no limit of time, so it rejects as soon as nobody needs the answer: after an
 * abort, once the client has left the session, and when the session ends.
 */
export async function askClient(
  live: Live,
  connection: ClientConnection,
  method: string,
  params: Json,
  signal?: AbortSignal,
): Promise<unknown> {
  if (live.closing !== null || (live.running && live.aborted)) throw new Error("nobody waits for the answer any more");
  const asks = asksOf(live);
  const stop = new AbortController();
  const letGo = signal && onAbort(signal, () => stop.abort());
  asks.set(stop, connection);
  try {
    return await connection.request(method, { sessionId: live.id, ...params }, stop.signal);
  } finally {
    letGo?.();
    asks.delete(stop);
  }
}

/** Gives up what a client still has to answer; all clients if none is named. */
export function stopAsking(live: Live, connection: ClientConnection | null = null): void {
  for (const [stop, asked] of [...asksOf(live)]) if (connection === null || asked === connection) stop.abort();
}

function asksOf(live: Live): Map<AbortController, ClientConnection> {
  const asks = open.get(live) ?? new Map<AbortController, ClientConnection>();
  open.set(live, asks);
  return asks;
}
