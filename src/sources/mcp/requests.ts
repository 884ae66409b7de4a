import { capabilitiesFor, DECLARED_CAPABILITIES } from "./client-capabilities.ts";
import { type Exchange, findAnswer } from "./exchange.ts";
import type { LocalFault } from "./local-fault.ts";
import type { PeerAnswer } from "./peer.ts";
import { buildMeta, type Envelope } from "./request-meta.ts";
import type { McpTransport } from "./transport.ts";

type Params = Readonly<Record<string, unknown>>;

export interface RequestOptions extends Pick<Exchange, "client" | "own" | "onProgress" | "onWaiting"> {
  /** For servers reached over HTTP that want some of the parameters there too. */
  readonly headers?: Readonly<Record<string, string>> | null;
}

/** A request on its way. */
export interface Pending {
  /** Rejects when the server cannot be talked to, or after `cancel`. */
  readonly answer: Promise<PeerAnswer>;
  /** Tells the server to stop, and why. Does nothing once there is an answer. */
  cancel(reason: string): void;
}

export interface Requests {
  send(method: string, params: Params, options: RequestOptions): Pending;
}

interface RequestsOptions {
  readonly transport: McpTransport;
  /** Null for the older protocol. */
  readonly envelope: Envelope | null;
  /** Puts what went wrong on the way into words. */
  readonly toFault: (trouble: LocalFault | { readonly thrown: unknown }) => unknown;
}

/** Far from the ids that the protocol client gives to its own requests. */
const FIRST_ID = 1_000_000;

/**
 * Requests straight to the transport. The protocol client would check every answer against strict schemas, lose what
 * it does not know, and take several times as long.
 */
export function createRequests({ transport, envelope, toFault }: RequestsOptions): Requests {
  const { channel } = transport;
  const cancelsByStream = envelope !== null && transport.hasPerRequestStream === true;
  let lastId = FIRST_ID;
  return {
    send(method, params, { client, own, onProgress, onWaiting, headers }) {
      lastId += 1;
      const id = lastId;
      const stream = cancelsByStream ? new AbortController() : null;
      let settled = false;
      let resolve: (answer: PeerAnswer) => void = () => {};
      let reject: (error: unknown) => void = () => {};
      const answer = new Promise<PeerAnswer>((settle, refuse) => {
        resolve = settle;
        reject = (error) => {
          settled = true;
          refuse(error);
        };
        channel.exchanges.set(id, {
          id,
          method,
          client,
          own,
          onProgress,
          onWaiting,
          answer(given) {
            settled = true;
            resolve(given);
          },
          fail: (fault) => reject(toFault(fault)),
        });
      });
      const wantsProgress = onProgress !== null || client !== null;
      const _meta = buildMeta(params._meta, {
        id,
        wantsProgress,
        envelope,
        capabilities: () => (own ? DECLARED_CAPABILITIES : capabilitiesFor(client, method !== "tools/call")),
      });
      const message = { jsonrpc: "2.0" as const, id, method, params: withMeta(params, _meta) };
      const sendOptions: SendOptions = {};
      if (stream !== null) sendOptions.requestSignal = stream.signal;
      if (headers !== undefined && headers !== null) sendOptions.headers = { ...headers };
      transport.send(message, sendOptions).catch((thrown: unknown) => {
        channel.exchanges.delete(id);
        if (settled) return;
        const said = envelope === null ? null : findAnswer(thrown, id);
        if (said === null) return reject(toFault({ thrown }));
        settled = true;
        resolve(said);
      });
      return {
        answer,
        cancel(reason) {
          if (settled) return;
          reject(new Error("The request was cancelled."));
          if (stream === null) {
            const cancelled = { requestId: id, reason };
            void transport
              .send({ jsonrpc: "2.0", method: "notifications/cancelled", params: cancelled }, {})
              .catch(() => {});
          } else stream.abort();
        },
      };
    },
  };
}

interface SendOptions {
  requestSignal?: AbortSignal;
  headers?: Record<string, string>;
}

function withMeta(params: Params, _meta: Params | undefined): Params {
  // What most calls are, written out: to copy an object of unknown shape costs as much as sending it.
  if (Object.keys(params).length === 2 && params.name !== undefined && params.arguments !== undefined)
    return _meta === undefined ? params : { name: params.name, arguments: params.arguments, _meta };
  const { _meta: _, ...rest } = params;
  return _meta === undefined ? rest : { ...rest, _meta };
}
