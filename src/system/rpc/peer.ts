import { isRecord } from "../../core/shape/is-record.ts";
import { createPassingMap } from "../passing.ts";
import { onAbort } from "../time/until-aborted.ts";
import { createInboundGuard, type GuardLimits, type GuardRuling } from "./inbound-guard.ts";
import type { MessageId } from "./message-id.ts";

type Params = Readonly<Record<string, unknown>>;

/** The outcome of a request. */
export type RpcAnswer =
  | { readonly kind: "result"; readonly value: unknown }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "too-large" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "lost" };

/** A request of the other side, which it may give up. */
export interface Abandonable {
  /** Created on first use: most answers are available at once. */
  readonly signal: AbortSignal;
}

export interface RpcPeerOptions {
  readonly limits: GuardLimits;
  readonly now: () => number;
  readonly send: (message: object) => void;
  /** The notification with which either side gives up its own request. */
  readonly cancelMethod: string;
  /** Its parameter for the id of the request; `id` if absent. */
  readonly cancelKey?: string;
  /** Its return value, or what that resolves to, is the result, unless it is an `RpcRefusal`. */
  readonly onRequest: (method: string, params: Params, asked: Abandonable) => unknown;
  readonly onNotification: (method: string, params: Params) => void;
  /** The other side must be cut off, for this reason. */
  readonly onFault: (reason: string) => void;
}

/** One side of a JSON-RPC 2.0 connection. An answer reaches only the request that is open under exactly its id. */
export interface RpcPeer {
  /** Settles once, also when the signal is aborted or the other side is gone. */
  request(method: string, params: object, signal: AbortSignal, onSent?: (id: number) => void): Promise<RpcAnswer>;
  /** Sends a message that has no answer. */
  notify(method: string, params: object): void;
  receive(message: unknown): void;
  /** Input that is no message arrived. */
  receiveJunk(): void;
  /** The answer to that request arrived and was discarded. Returns whether one was open. */
  dropAnswer(id: MessageId | null): boolean;
  /** Every open request is lost, and the other side's requests are given up. */
  end(): void;
}

export const RPC_ERROR = {
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  busy: -32_000,
} as const;

/** Why a request is refused, for the other side to read. */
export class RpcRefusal {
  readonly code: number;
  readonly message: string;

  constructor(code: number, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** How many requests of the other side may be open at a time. */
const MOST_OPEN = 1_000;

export function createRpcPeer(options: RpcPeerOptions): RpcPeer {
  const { limits, now, cancelMethod, cancelKey = "id" } = options;
  const guard = createInboundGuard(limits);
  const open = createPassingMap<MessageId, (answer: RpcAnswer) => void>();
  let last = 0;
  let ended = false;

  const send = (message: object): void => {
    if (!ended) options.send({ jsonrpc: "2.0", ...message });
  };
  const responder = createResponder(options.onRequest, send);
  const settle = (id: MessageId, answer: RpcAnswer): boolean => {
    const resolve = open.get(id);
    open.delete(id);
    resolve?.(answer);
    return resolve !== undefined;
  };
  const obey = (ruling: GuardRuling, message: unknown): void => {
    switch (ruling.kind) {
      case "answer":
        settle(ruling.id, readAnswer(message));
        break;
      case "request":
        void responder.answer(ruling.id, ruling.method, ruling.params);
        break;
      case "notification":
        if (ruling.method === cancelMethod) responder.abandon(ruling.params[cancelKey]);
        else options.onNotification(ruling.method, ruling.params);
        break;
      case "cut":
        options.onFault(ruling.reason);
    }
  };

  return {
    async request(method, params, signal, onSent) {
      if (ended || signal.aborted) return { kind: ended ? "lost" : "cancelled" };
      last += 1;
      const id = last;
      const answered = new Promise<RpcAnswer>((resolve) => open.set(id, resolve));
      guard.opened(id);
      const unsubscribe = onAbort(signal, () => {
        guard.abandoned(id);
        send({ method: cancelMethod, params: { [cancelKey]: id } });
        settle(id, { kind: "cancelled" });
      });
      onSent?.(id);
      send({ id, method, params });
      return answered.finally(unsubscribe);
    },
    notify: (method, params) => send({ method, params }),
    receive: (message) => obey(guard.judge(message, now()), message),
    receiveJunk: () => obey(guard.judgeJunk(now()), null),
    dropAnswer(id) {
      if (id === null || !settle(id, { kind: "too-large" })) return false;
      guard.settled(id);
      return true;
    },
    end() {
      ended = true;
      for (const id of open.keys()) settle(id, { kind: "lost" });
      responder.abandonAll();
    },
  };
}

/** Answers the requests of the other side. */
interface Responder {
  answer(id: MessageId, method: string, params: Params): Promise<void>;
  /** The other side gave this request up. */
  abandon(id: unknown): void;
  abandonAll(): void;
}

function createResponder(onRequest: RpcPeerOptions["onRequest"], send: (message: object) => void): Responder {
  const open = createPassingMap<unknown, OpenRequest>();
  /** More than the size of `open`, if the other side uses an id twice. */
  let running = 0;
  const refuse = (id: MessageId, { code, message }: RpcRefusal): void => send({ id, error: { code, message } });
  return {
    async answer(id, method, params) {
      if (running >= MOST_OPEN) {
        return refuse(id, new RpcRefusal(RPC_ERROR.busy, `${MOST_OPEN} requests are open already`));
      }
      const request = new OpenRequest();
      open.set(id, request);
      running += 1;
      try {
        const result = await onRequest(method, params, request);
        if (result instanceof RpcRefusal) refuse(id, result);
        else send({ id, result: result ?? null });
      } catch (error) {
        refuse(id, new RpcRefusal(RPC_ERROR.internal, error instanceof Error ? error.message : String(error)));
      }
      running -= 1;
      if (open.get(id) === request) open.delete(id);
    },
    abandon: (id) => open.get(id)?.abort(),
    abandonAll() {
      for (const request of open.values()) request.abort();
    },
  };
}

class OpenRequest implements Abandonable {
  #controller: AbortController | null = null;
  #isAborted = false;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}

function readAnswer(message: unknown): RpcAnswer {
  const { error, result } = isRecord(message) ? message : {};
  if (isRecord(error)) return { kind: "error", message: String(error.message ?? "an error without a message") };
  if (result === undefined) return { kind: "error", message: "the answer has neither a result nor an error" };
  return { kind: "result", value: result };
}
