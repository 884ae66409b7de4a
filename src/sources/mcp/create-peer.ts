import { fromSignal } from "../../core/call/cancelling.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { Clock } from "../../system/time/clock.ts";
import { withTimeout } from "../../system/time/with-timeout.ts";
import type { CallBreaker } from "../parts/breaker.ts";
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
  readonly breaker: CallBreaker;
  readonly current: () => Connection | null;
  readonly ready: (signal: AbortSignal) => Promise<Connection>;
  readonly definitionOf: McpPeer["definitionOf"];
  /** Notes that a request uses the server. */
  readonly during: <T>(work: () => Promise<T>) => Promise<T>;
  /** What it declared when it last ran, before this start. */
  readonly earlier: Params | null;
}

interface Outcome {
  readonly answer: PeerAnswer;
  readonly timedOut: boolean;
}

/** Opening and ending a conversation is between Toolcrib and the server. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set(["initialize", "server/discover", "subscriptions/listen"]);
const METHOD_NOT_FOUND = -32601;
const INTERNAL = -32603;
const TIMED_OUT = -32001;
const DONE: PeerAnswer = { kind: "result", result: {} };

export interface OwnedPeer {
  readonly peer: McpPeer;
  readonly attached: () => readonly PeerClient[];
  /** Calls all listeners. */
  readonly emit: Listener;
  /** Remembers what a server reported about itself. */
  readonly remember: (connection: Connection) => void;
  close(): void;
}

export function createPeer(options: PeerOptions): OwnedPeer {
  const { current, definitionOf, during, earlier } = options;
  const listeners = new Set<Listener>();
  const clients = new Set<{ readonly client: PeerClient }>();
  let known: Pick<Connection, "capabilities" | "serverInfo"> = {
    capabilities: earlier ?? {},
    serverInfo: {},
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
      request: (method, params, request) => during(() => ask(options, method, params, request)),
      notify: (method, params) => current()?.notify(method, params),
      attach(client) {
        const entry = { client };
        clients.add(entry);
        return () => void clients.delete(entry);
      },
      onNotification(listener) {
        // A listener that is added twice is called twice.
        const own: Listener = (method, params) => listener(method, params);
        listeners.add(own);
        return () => void listeners.delete(own);
      },
    },
    attached: () => [...clients].map(({ client }) => client),
    emit(method, params) {
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

/** One request under the same breaker as calls; it is never repeated. */
async function ask(
  options: PeerOptions,
  method: string,
  params: Params,
  request: PeerRequestOptions,
): Promise<PeerAnswer> {
  const { wishes, breaker, ready } = options;
  const { signal, client } = request;
  signal.throwIfAborted();
  if (NOT_PASSED_ON.has(method)) return unknown(method);
  const holder = client?.id ?? "";
  const uri = typeof params.uri === "string" ? params.uri : null;
  if (method === "resources/unsubscribe" && uri !== null && !wishes.unsubscribe(uri, holder)) return DONE;
  breaker.admit();
  try {
    const connection = await ready(signal);
    // Recorded before it is sent, so that a restart in between does not lose it.
    if (method === "resources/subscribe" && uri !== null) wishes.subscribe(uri, holder);
    if (method === "logging/setLevel" && typeof params.level === "string") wishes.setLogLevel(params.level);
    const translated = await translate(options, connection, method, signal);
    const { answer, timedOut } = translated ?? (await pass(options, connection, method, params, request));
    if (method === "resources/subscribe" && uri !== null && answer.kind === "error") wishes.unsubscribe(uri, holder);
    breaker.settle(timedOut ? "timeout" : "answered");
    return answer;
  } catch (error) {
    breaker.settle("neither");
    throw error;
  }
}

/** What the newer protocol expresses differently; null if both eras do it the same way. */
async function translate(
  { clock, timeout }: PeerOptions,
  connection: Connection,
  method: string,
  signal: AbortSignal,
): Promise<Outcome | null> {
  const { era, capabilities } = connection;
  if (era === "legacy") return null;
  if (method === "logging/setLevel") return inTime(capabilities.logging === undefined ? unknown(method) : DONE);
  if (method !== "resources/subscribe" && method !== "resources/unsubscribe") return null;
  if (!isRecord(capabilities.resources) || capabilities.resources.subscribe !== true) return inTime(unknown(method));
  await withTimeout(clock, timeout, signal, (until) => connection.resubscribe(until));
  return inTime(DONE);
}

async function pass(
  { timeout, clock, limits, wishes }: PeerOptions,
  connection: Connection,
  method: string,
  params: Params,
  { signal, client }: PeerRequestOptions,
): Promise<Outcome> {
  try {
    const ended = await converse(connection, {
      ...{ method, client, timeout, cancelling: fromSignal(signal), clock, limits },
      ...{ params: withLogLevel(params, connection, wishes), headers: null, onProgress: null, onWaiting: null },
    });
    if (ended.kind === "cancelled") throw signal.reason;
    if (ended.kind === "answer") return inTime(ended.answer);
    return { answer: failed(TIMED_OUT, `The server did not answer within ${timeout} ms.`), timedOut: true };
  } catch (error) {
    const isAnswer =
      isToolcribError(error) && (error.code === "mcp.invalid-answer" || error.code === "mcp.result-too-large");
    if (!isAnswer) throw error;
    return inTime(failed(INTERNAL, error.message));
  }
}

function inTime(answer: PeerAnswer): Outcome {
  return { answer, timedOut: false };
}

/** Without a session, each request says which log level its caller wants. */
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
