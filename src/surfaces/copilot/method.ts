import type { Abandonable } from "../../system/rpc/peer.ts";
import { noteUse } from "./state/idle-timer.ts";
import { findLive, type Live, notFound, type RuntimeState } from "./state/live.ts";
import type { ClientConnection } from "./wire/connection.ts";
import type { Json } from "./wire/wire-values.ts";

/** One request of a client. */
export interface Asked {
  readonly server: RuntimeState;
  readonly connection: ClientConnection;
  readonly params: Json;
  readonly signal: AbortSignal;
}

/** Most methods never look whether they were given up, and a signal is dearer than what they do. */
export class ClientRequest implements Asked {
  readonly server: RuntimeState;
  readonly connection: ClientConnection;
  readonly params: Json;
  readonly #given: Abandonable;

  constructor(server: RuntimeState, connection: ClientConnection, params: Json, given: Abandonable) {
    this.server = server;
    this.connection = connection;
    this.params = params;
    this.#given = given;
  }

  get signal(): AbortSignal {
    return this.#given.signal;
  }
}

export type Method = (asked: Asked) => unknown;

/** A method of a session: `live` is the one that the request names. */
export type SessionMethod = (live: Live, params: Json, asked: Asked) => unknown;

/** Who is not attached to a session sees and changes nothing of it; to them it is not there. */
export function ofSession(method: SessionMethod): Method {
  return (asked) => {
    const { server, params, connection } = asked;
    const live = findLive(server, params);
    if (!live.clients.has(connection)) throw notFound(params);
    noteUse(live);
    return method(live, params, asked);
  };
}
