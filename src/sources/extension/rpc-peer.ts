import { isRecord } from "../../core/shape/is-record.ts";
import { createFaultWindow } from "../../system/time/fault-window.ts";
import { createTokenBucket } from "../../system/time/token-bucket.ts";
import type { ProgramLimits } from "../parts/limits.ts";

type MessageId = string | number;

/** What became of a request. */
export type RpcAnswer =
  | { readonly kind: "result"; readonly value: unknown }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "too-large" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "lost" };

/** A request or a notification of the other side; `id` is null for the latter. */
export interface Asked {
  readonly id: MessageId | null;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface RpcPeerOptions {
  readonly limits: Pick<ProgramLimits, "badLines" | "badLineWindow" | "floodBurst" | "floodRate">;
  readonly now: () => number;
  readonly send: (message: object) => void;
  readonly onAsked: (asked: Asked) => void;
  /** The other side has to be cut off, for this reason. */
  readonly onFault: (reason: string) => void;
}

/** One side of a JSON-RPC 2.0 conversation. An answer reaches only the request that is open under exactly its id. */
export interface RpcPeer {
  /** Settles once, also when the signal is aborted or the other side is gone. */
  request(method: string, params: object, signal: AbortSignal, onSent?: (id: number) => void): Promise<RpcAnswer>;
  reply(id: MessageId, result: object): void;
  refuse(id: MessageId, code: number, message: string): void;
  receive(message: unknown): void;
  /** Something came that is no message. */
  receiveJunk(): void;
  /** The answer to that request came and was thrown away. Answers whether one was open. */
  dropAnswer(id: MessageId | null): boolean;
  /** Every open request is lost. */
  end(): void;
}

export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
/** Requests that were given up and may still be answered. */
const LATE_IDS = 1_000;

export function createRpcPeer({ limits, now, send, onAsked, onFault }: RpcPeerOptions): RpcPeer {
  const open = new Map<MessageId, (answer: RpcAnswer) => void>();
  const given = new Set<MessageId>();
  const faults = createFaultWindow(limits.badLines, limits.badLineWindow);
  const bucket = createTokenBucket(limits.floodBurst, limits.floodRate);
  let last = 0;
  let ended = false;

  const fault = (): void => {
    if (!faults.add(now())) return;
    const seconds = limits.badLineWindow / 1000;
    onFault(`it sent ${limits.badLines} lines that are no message or answer no call within ${seconds} s`);
  };
  const giveUp = (id: MessageId): void => {
    given.add(id);
    const [oldest] = given;
    if (given.size > LATE_IDS && oldest !== undefined) given.delete(oldest);
  };
  const settle = (id: MessageId, answer: RpcAnswer): boolean => {
    const resolve = open.get(id);
    open.delete(id);
    resolve?.(answer);
    return resolve !== undefined;
  };
  const receiveAnswer = (id: MessageId, message: Readonly<Record<string, unknown>>): void => {
    if (!settle(id, readAnswer(message)) && !given.delete(id)) fault();
  };
  const receive = (message: unknown): Asked | "answer" | "fault" => {
    if (!isRecord(message) || message.jsonrpc !== "2.0") return "fault";
    const { id = null, method, params } = message;
    if (id !== null && typeof id !== "string" && typeof id !== "number") return "fault";
    if (typeof method === "string") return { id, method, params: isRecord(params) ? params : {} };
    if (id === null) return "fault";
    receiveAnswer(id, message);
    return "answer";
  };

  return {
    request(method, params, signal, onSent) {
      return new Promise((resolve) => {
        if (ended || signal.aborted) {
          resolve({ kind: ended ? "lost" : "cancelled" });
          return;
        }
        last += 1;
        const id = last;
        const onAbort = () => {
          giveUp(id);
          send({ jsonrpc: "2.0", method: "$/cancel", params: { id } });
          settle(id, { kind: "cancelled" });
        };
        open.set(id, (answer) => {
          signal.removeEventListener("abort", onAbort);
          resolve(answer);
        });
        signal.addEventListener("abort", onAbort, { once: true });
        onSent?.(id);
        send({ jsonrpc: "2.0", id, method, params });
      });
    },
    reply: (id, result) => send({ jsonrpc: "2.0", id, result }),
    refuse: (id, code, message) => send({ jsonrpc: "2.0", id, error: { code, message } }),
    receive(message) {
      const asked = receive(message);
      if (asked === "fault") fault();
      else if (asked !== "answer" && bucket.take(1, now())) onAsked(asked);
      else if (asked !== "answer") onFault(describeFlood(limits));
    },
    receiveJunk: fault,
    dropAnswer: (id) => id !== null && settle(id, { kind: "too-large" }),
    end() {
      ended = true;
      for (const id of [...open.keys()]) settle(id, { kind: "lost" });
    },
  };
}

function readAnswer(message: Readonly<Record<string, unknown>>): RpcAnswer {
  const { error, result } = message;
  if (isRecord(error)) return { kind: "error", message: String(error.message ?? "an error without a message") };
  if (result === undefined) return { kind: "error", message: "the answer has neither a result nor an error" };
  return { kind: "result", value: result };
}

function describeFlood({ floodBurst, floodRate }: RpcPeerOptions["limits"]): string {
  return `it sent more than ${floodBurst} messages that nobody asked for, faster than ${floodRate} a second`;
}
