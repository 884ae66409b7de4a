import { fromSignal } from "../../core/call/cancelling.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { Clock } from "../../system/time/clock.ts";
import { withTimeout } from "../../system/time/with-timeout.ts";
import type { McpPeer, PeerAnswer, PeerClient, PeerRequestOptions } from "../peer.ts";
import type { Connection } from "./connection.ts";
import { converse } from "./converse.ts";
import type { McpLimits } from "./limits.ts";
import { LOG_LEVEL_KEY } from "./request-meta.ts";
import type { Wishes } from "./wishes.ts";

type Params = Readonly<Record<string, unknown>>;
type Listener = (method: string, params: Params) => void;

interface PeerOptions {
  readonly timeout: number;
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly wishes: Wishes;
  readonly current: () => Connection | null;
  readonly definitionOf: McpPeer["definitionOf"];
  /** Runs one request under the breaker, on a connection that is there. */
  readonly admitted: (
    signal: AbortSignal,
    work: (connection: Connection) => Promise<{ readonly answer: PeerAnswer; readonly timedOut: boolean }>,
  ) => Promise<PeerAnswer>;
}

/** What opens or ends a conversation is between Toolcrib and the server. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set(["initialize", "server/discover", "subscriptions/listen"]);
const METHOD_NOT_FOUND = -32601;
const INTERNAL = -32603;
const TIMED_OUT = -32001;
const DONE: PeerAnswer = { kind: "result", result: {} };

export interface OwnedPeer {
  readonly peer: McpPeer;
  readonly attached: () => readonly PeerClient[];
  /** Tells everybody who listens. */
  readonly tell: Listener;
  /** Keeps what a server said about itself. */
  readonly remember: (connection: Connection) => void;
  close(): void;
}

export function createPeer({
  timeout,
  clock,
  limits,
  wishes,
  current,
  definitionOf,
  admitted,
}: PeerOptions): OwnedPeer {
  const listeners = new Set<Listener>();
  const clients = new Set<{ readonly client: PeerClient }>();
  let known: Pick<Connection, "capabilities" | "serverInfo"> = { capabilities: {}, serverInfo: {} };

  const pass = (connection: Connection, method: string, params: Params, { signal, client }: PeerRequestOptions) =>
    converse(connection, {
      ...{ method, params, client, timeout, cancelling: fromSignal(signal), clock, limits },
      ...{ headers: null, onProgress: null, onWaiting: null },
    }).then(
      (ended) => {
        if (ended.kind === "cancelled") throw signal.reason;
        if (ended.kind === "answer") return { answer: ended.answer, timedOut: false };
        return { answer: failed(TIMED_OUT, `The server did not answer within ${timeout} ms.`), timedOut: true };
      },
      (error: unknown) => {
        const isAnswer =
          isToolcribError(error) && (error.code === "mcp.invalid-answer" || error.code === "mcp.result-too-large");
        if (!isAnswer) throw error;
        return { answer: failed(INTERNAL, error.message), timedOut: false };
      },
    );

  /** What the newer protocol says differently; null where both say the same. */
  const translate = async (
    connection: Connection,
    method: string,
    _params: Params,
    signal: AbortSignal,
  ): Promise<PeerAnswer | null> => {
    if (connection.era === "legacy") return null;
    if (method === "logging/setLevel") return connection.capabilities.logging === undefined ? unknown(method) : DONE;
    if (method !== "resources/subscribe" && method !== "resources/unsubscribe") return null;
    const { resources } = connection.capabilities;
    if (!isRecord(resources) || resources.subscribe !== true) return unknown(method);
    await withTimeout(clock, timeout, signal, (until) => connection.resubscribe(until));
    return DONE;
  };

  const request = async (method: string, params: Params, options: PeerRequestOptions): Promise<PeerAnswer> => {
    const { signal, client } = options;
    signal.throwIfAborted();
    if (NOT_PASSED_ON.has(method)) return unknown(method);
    const holder = client?.id ?? "";
    const uri = typeof params.uri === "string" ? params.uri : null;
    if (method === "resources/unsubscribe" && uri !== null && !wishes.unsubscribe(uri, holder)) return DONE;
    return admitted(signal, async (connection) => {
      // A wish is kept before it is passed on, so that a restart in between does not lose it.
      if (method === "resources/subscribe" && uri !== null) wishes.subscribe(uri, holder);
      if (method === "logging/setLevel" && typeof params.level === "string") wishes.setLogLevel(params.level);
      const translated = await translate(connection, method, params, signal);
      const outcome =
        translated === null
          ? await pass(connection, method, withLogLevel(params, connection, wishes), options)
          : { answer: translated, timedOut: false };
      const refused = outcome.answer.kind === "error";
      if (method === "resources/subscribe" && uri !== null && refused) wishes.unsubscribe(uri, holder);
      return outcome;
    });
  };

  return {
    peer: {
      get era() {
        return current()?.era ?? null;
      },
      get capabilities() {
        return known.capabilities;
      },
      get serverInfo() {
        return known.serverInfo;
      },
      definitionOf,
      request,
      notify: (method, params) => current()?.notify(method, params),
      attach(client) {
        const entry = { client };
        clients.add(entry);
        return () => void clients.delete(entry);
      },
      onNotification(listener) {
        // A listener that is added twice is two listeners.
        const own: Listener = (method, params) => listener(method, params);
        listeners.add(own);
        return () => void listeners.delete(own);
      },
    },
    attached: () => [...clients].map(({ client }) => client),
    tell(method, params) {
      for (const listener of [...listeners]) listener(method, params);
    },
    remember({ capabilities, serverInfo }) {
      known = { capabilities, serverInfo };
    },
    close() {
      listeners.clear();
      clients.clear();
    },
  };
}

/** Where there is no session, each request says how much its caller wants to hear. */
export function withLogLevel(params: Params, { era }: Connection, { logLevel }: Wishes): Params {
  if (era === "legacy" || logLevel === null) return params;
  const meta = isRecord(params._meta) ? params._meta : {};
  return { ...params, _meta: { [LOG_LEVEL_KEY]: logLevel, ...meta } };
}

function unknown(method: string): PeerAnswer {
  return failed(METHOD_NOT_FOUND, `Method not found: ${method}`);
}

function failed(code: number, message: string): PeerAnswer {
  return { kind: "error", code, message };
}
