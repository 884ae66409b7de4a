import type { PeerAnswer } from "../peer.ts";
import { capabilitiesFor, DECLARED_CAPABILITIES } from "./client-capabilities.ts";
import { findAnswer, type ServerExchange } from "./exchange.ts";
import type { LocalFault } from "./local-fault.ts";
import { buildMeta, type RequestEnvelope } from "./request-meta.ts";
import type { McpTransport } from "./transport.ts";

type Params = Readonly<Record<string, unknown>>;

export interface RequestOptions extends Pick<ServerExchange, "client" | "own" | "onProgress" | "onWaiting"> {
  /** For HTTP servers that want some parameters in headers as well. */
  readonly headers?: Readonly<Record<string, string>> | null;
}

/** A request on its way. */
export interface Pending {
  /** Rejects when the server cannot be reached, or after `cancel`. */
  readonly answered: Promise<PeerAnswer>;
  /** Tells the server to stop, and why. Does nothing once there is an answer. */
  cancel(reason: string): void;
}

export interface Requests {
  send(method: string, params: Params, options: RequestOptions): Pending;
}

interface RequestsOptions {
  readonly transport: McpTransport;
  /** Null for the older protocol. */
  readonly envelope: RequestEnvelope | null;
  /** Turns a failure on the way into an error. */
  readonly toFault: (trouble: LocalFault | { readonly thrown: unknown }) => unknown;
}

/** Far from the ids that the protocol client gives to its own requests. */
const FIRST_ID = 1_000_000;

/**
 * Sends requests straight to the transport. The protocol client would check every answer against strict schemas, drop
 * fields it does not know, and take several times as long.
 */
export function createRequests(options: RequestsOptions): Requests {
  const { transport, envelope } = options;
  let lastId = FIRST_ID;
  return {
    send(method, params, asked) {
      lastId += 1;
      const id = lastId;
      const { client, own, onProgress, headers } = asked;
      const stream = transport.hasPerRequestStream === true ? new AbortController() : null;
      const sent = new SentRequest(id, method, asked, stream, options);
      transport.channel.exchanges.set(id, sent);
      const _meta = buildMeta(params._meta, {
        id,
        wantsProgress: onProgress !== null || client !== null,
        envelope,
        capabilities: () => (own ? DECLARED_CAPABILITIES : capabilitiesFor(client, method !== "tools/call")),
      });
      const sendOptions: SendOptions = {};
      if (stream !== null) sendOptions.requestSignal = stream.signal;
      if (headers !== undefined && headers !== null) sendOptions.headers = { ...headers };
      transport
        .send({ jsonrpc: "2.0", id, method, params: withMeta(params, _meta) }, sendOptions)
        .catch((thrown: unknown) => sent.notSent(thrown));
      return sent;
    },
  };
}

/** A class because there is one per call. */
class SentRequest implements ServerExchange, Pending {
  readonly id: number;
  readonly method: string;
  readonly client: ServerExchange["client"];
  readonly own: boolean;
  readonly onProgress: ServerExchange["onProgress"];
  readonly onWaiting: ServerExchange["onWaiting"];
  readonly answered: Promise<PeerAnswer>;
  readonly #stream: AbortController | null;
  readonly #ports: RequestsOptions;
  #isSettled = false;
  #resolve: (answer: PeerAnswer) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(
    id: number,
    method: string,
    { client, own, onProgress, onWaiting }: RequestOptions,
    stream: AbortController | null,
    ports: RequestsOptions,
  ) {
    this.id = id;
    this.method = method;
    this.client = client;
    this.own = own;
    this.onProgress = onProgress;
    this.onWaiting = onWaiting;
    this.#stream = stream;
    this.#ports = ports;
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  answer(given: PeerAnswer): void {
    this.#isSettled = true;
    this.#resolve(given);
  }

  fail(fault: LocalFault): void {
    this.#refuse(this.#ports.toFault(fault));
  }

  notSent(thrown: unknown): void {
    const { transport, envelope, toFault } = this.#ports;
    transport.channel.exchanges.delete(this.id);
    if (this.#isSettled) return;
    const answer = envelope === null ? null : findAnswer(thrown, this.id);
    if (answer === null) this.#refuse(toFault({ thrown }));
    else this.answer(answer);
  }

  cancel(reason: string): void {
    if (this.#isSettled) return;
    this.#refuse(new Error("The request was cancelled."));
    const { transport, envelope } = this.#ports;
    // With a stream, its end is the cancellation in the newer protocol, and means nothing in the older one.
    if (this.#stream === null || envelope === null) {
      const params = { requestId: this.id, reason };
      const sent = transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }, {});
      sent.catch(() => {});
    }
    this.#stream?.abort();
  }

  #refuse(error: unknown): void {
    this.#isSettled = true;
    this.#reject(error);
  }
}

interface SendOptions {
  requestSignal?: AbortSignal;
  headers?: Record<string, string>;
}

function withMeta(params: Params, _meta: Params | undefined): Params {
  // The shape of most calls, written out: copying an object of unknown shape costs as much as sending it.
  if (Object.keys(params).length === 2 && params.name !== undefined && params.arguments !== undefined)
    return _meta === undefined ? params : { name: params.name, arguments: params.arguments, _meta };
  const { _meta: _, ...rest } = params;
  return _meta === undefined ? rest : { ...rest, _meta };
}
