import type { ClientConnection } from "./connection.ts";
import { findLive, type Live, type RuntimeState } from "./live.ts";
import type { Json } from "./wire-values.ts";

/** One request of a client. */
export interface Asked {
  readonly server: RuntimeState;
  readonly connection: ClientConnection;
  readonly params: Json;
  readonly signal: AbortSignal;
}

export type Method = (asked: Asked) => unknown;

/** A method of a session: `live` is the one that the request names. */
export type SessionMethod = (live: Live, params: Json, asked: Asked) => unknown;

export function ofSession(method: SessionMethod): Method {
  return (asked) => method(findLive(asked.server, asked.params), asked.params, asked);
}
