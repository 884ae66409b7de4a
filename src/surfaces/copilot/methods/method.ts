import type { Abandonable } from "../../../system/rpc/peer.ts";
import type { ClientSession, Runtime } from "../sessions/client-session.ts";
import type { ClientConnection } from "../wire/client-connection.ts";
import type { Json } from "../wire/wire-values.ts";

/** One request of a client. */
export interface Asked {
  readonly server: Runtime;
  readonly connection: ClientConnection;
  readonly params: Json;
  readonly signal: AbortSignal;
}

/** Most methods never look whether they were given up, and a signal costs more than what they do. */
export class ClientRequest implements Asked {
  readonly server: Runtime;
  readonly connection: ClientConnection;
  readonly params: Json;
  readonly #given: Abandonable;

  constructor(server: Runtime, connection: ClientConnection, params: Json, given: Abandonable) {
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
export type SessionMethod = (live: ClientSession, params: Json, asked: Asked) => unknown;

/** The session that a request names. */
export function findSession({ server, params }: Pick<Asked, "server" | "params">): ClientSession {
  const live = server.live.get(String(params.sessionId));
  if (live === undefined || live.core.closing !== null) throw notFound(params);
  return live;
}

function notFound({ sessionId }: Json): Error {
  return new Error(`Session not found: ${String(sessionId)}`);
}

/** A client that is not attached to a session sees and changes nothing there: to it, there is no such session. */
export function ofSession(method: SessionMethod): Method {
  return (asked) => {
    const { params, connection } = asked;
    const live = findSession(asked);
    if (!live.core.clients.has(connection)) throw notFound(params);
    live.core.noteUse();
    return method(live, params, asked);
  };
}

/** Answers once something is done. */
export async function after(work: Promise<unknown>, answer: unknown): Promise<unknown> {
  await work;
  return answer;
}
