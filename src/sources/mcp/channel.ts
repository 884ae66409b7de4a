import type { Transport } from "@modelcontextprotocol/client";
import { isRecord } from "../../core/shape/is-record.ts";
import { createPassingMap, type PassingMap } from "../../system/passing.ts";
import {
  createInboundGuard,
  type GuardRuling,
  type InboundCounts,
  type InboundGuard,
} from "../../system/rpc/inbound-guard.ts";
import { isMessageId, type MessageId } from "../../system/rpc/message-id.ts";
import type { Clock } from "../../system/time/clock.ts";
import type { OnWire } from "../parts/wire-line.ts";
import { cleanNotification } from "./clean-notification.ts";
import { reportProgress, type ServerExchange, toPeerAnswer } from "./exchange.ts";
import type { McpLimits } from "./limits.ts";
import { type LocalFault, toFaultAnswer } from "./local-fault.ts";

type Outgoing = Parameters<Transport["send"]>[0];
type SendOptions = Parameters<Transport["send"]>[1];
type Params = Readonly<Record<string, unknown>>;

export interface ChannelPorts {
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly onWire?: OnWire | undefined;
}

interface ChannelOptions extends ChannelPorts {
  /** Called with the beginning of everything that is no message of the protocol. */
  readonly onJunk?: (text: string) => void;
  /** Called at most once; the transport ends itself with this reason. */
  readonly onCut: (reason: string) => void;
}

/** Receives what a server sends unprompted. `related` is the request on whose stream it came, if any. */
interface ChannelListener {
  /** Returns whether the question is taken; if not, the protocol client answers it. */
  onQuestion(id: MessageId, method: string, params: Params, related: MessageId | null): boolean;
  onNotification(method: string, params: Params, related: MessageId | null): void;
  /** The server withdrew the question. */
  onQuestionCancelled(id: unknown): void;
}

/**
 * Sits between a transport's connection and its users: only checked messages pass. Answers to exchanges go straight to
 * them, unfiltered; everything else goes to the protocol client.
 */
export interface Channel {
  readonly counts: InboundCounts;
  /** Requests that wait for an answer, bypassing the protocol client. */
  readonly exchanges: PassingMap<MessageId, ServerExchange>;
  /**
   * Requests that were abandoned without an answer: whose they were, and when. The server may still be working on them.
   */
  readonly givenUp: ReadonlyMap<MessageId, { readonly client: string | null; readonly at: number }>;
  /** The server's first answer, to `initialize` or `server/discover`, unchanged. */
  readonly greeting: Params | null;
  listener: ChannelListener | null;
  /** Where messages are delivered; the protocol client sets it. */
  deliver: ((message: Outgoing) => void) | undefined;
  /** Registers a message before it is sent. */
  noteSent(message: unknown, options: SendOptions): void;
  /** The message could not be sent after all, so no answer belongs to it. */
  noteUnsent(message: unknown): void;
  receive(message: unknown, related?: MessageId | null): void;
  receiveJunk(text: string | null): void;
  /** Fails one open request from this side. Returns whether it was open. */
  fail(id: MessageId | null, fault: LocalFault): boolean;
  isOpen(id: MessageId): boolean;
  cut(reason: string): void;
}

const GIVEN_UP = 1_000;
const JUNK = 512;
const GREETINGS: readonly unknown[] = ["initialize", "server/discover"];

export function createChannel({ limits, clock, onCut, onWire, onJunk }: ChannelOptions): Channel {
  const guard = createInboundGuard(limits);
  const { exchanges, givenUp, take, giveUp } = createExchanges(guard, clock);
  const sent = createSent(guard, giveUp, onWire);
  let greeting: Params | null = null;
  let isCut = false;

  // The message is JSON-RPC; checking its exact shape is the client's job.
  const deliver = (message: unknown) => channel.deliver?.(message as Outgoing);
  const cut = (reason: string) => {
    if (isCut) return;
    isCut = true;
    onCut(reason);
  };
  const fail = (id: MessageId, fault: LocalFault) => {
    guard.settled(id);
    const exchange = take(id);
    if (exchange === undefined) deliver(toFaultAnswer(id, fault));
    else exchange.fail(fault);
  };
  const passAnswer = (id: MessageId, message: unknown) => {
    const exchange = take(id);
    if (isRecord(message) && exchange !== undefined) return exchange.answer(toPeerAnswer(message));
    if (isRecord(message) && sent.isGreeting(id) && isRecord(message.result)) greeting = message.result;
    deliver(message);
  };
  const obey = (ruling: GuardRuling, message: unknown, related: MessageId | null) => {
    switch (ruling.kind) {
      case "drop":
        return ruling.isJunk && message !== null ? onJunk?.(JSON.stringify(message).slice(0, JUNK)) : undefined;
      case "answer":
        if (ruling.wellFormed) return passAnswer(ruling.id, message);
        return fail(ruling.id, { code: "mcp.invalid-answer", text: "The server's answer is malformed." });
      case "request": {
        const { id, method, params } = ruling;
        return channel.listener?.onQuestion(id, method, params, related) ? undefined : deliver(message);
      }
      case "notification":
        return passNotification(channel, ruling, related, () => deliver(message));
      case "cut":
        return cut(ruling.reason);
    }
  };

  const channel: Channel = {
    counts: guard.counts,
    exchanges,
    givenUp,
    get greeting() {
      return greeting;
    },
    listener: null,
    deliver: undefined,
    noteSent: sent.noteSent,
    noteUnsent: sent.noteUnsent,
    receive(message, related = null) {
      onWire?.("received", message);
      if (!isCut) obey(guard.judge(message, clock.now()), message, related);
    },
    receiveJunk(text) {
      if (text !== null) onJunk?.(text);
      if (!isCut) obey(guard.judgeJunk(clock.now()), null, null);
    },
    fail(id, fault) {
      if (id === null || !guard.isOpen(id)) return false;
      fail(id, fault);
      return true;
    },
    isOpen: guard.isOpen,
    cut,
  };
  return channel;
}

function passNotification(
  { exchanges, listener }: Channel,
  { method, params }: { readonly method: string; readonly params: Params },
  related: MessageId | null,
  deliver: () => void,
): void {
  switch (method) {
    case "notifications/progress": {
      // The token sent with a request is the request's own id.
      const exchange = exchanges.get(params.progressToken as MessageId); // Other keys find nothing.
      if (exchange !== undefined) reportProgress(exchange, cleanNotification(method, params));
      break;
    }
    case "notifications/cancelled":
      listener?.onQuestionCancelled(params.requestId);
      deliver();
      break;
    case "notifications/subscriptions/acknowledged":
      deliver();
      break;
    default:
      listener?.onNotification(method, cleanNotification(method, params), related);
  }
}

interface Sent extends Pick<Channel, "noteSent" | "noteUnsent"> {
  /** Whether that request asked for the server's first answer. */
  isGreeting(id: MessageId): boolean;
}

function createSent(guard: InboundGuard, giveUp: (id: MessageId) => void, onWire: OnWire | undefined): Sent {
  let greeter: MessageId | null = null;
  return {
    isGreeting: (id) => id === greeter,
    noteSent(message, options) {
      onWire?.("sent", message);
      if (!isRecord(message)) return;
      const { id, method, params } = message;
      if (isMessageId(id)) {
        if (typeof method !== "string") return;
        guard.opened(id);
        if (GREETINGS.includes(method)) greeter = id;
        // If a request has a stream of its own, closing that stream cancels it.
        options?.requestSignal?.addEventListener("abort", () => giveUp(id), { once: true });
      } else if (method === "notifications/cancelled" && isRecord(params)) {
        if (isMessageId(params.requestId)) giveUp(params.requestId);
      }
    },
    noteUnsent(message) {
      if (!isRecord(message) || message.method === undefined) return;
      if (isMessageId(message.id)) giveUp(message.id);
    },
  };
}

interface Exchanges extends Pick<Channel, "exchanges" | "givenUp"> {
  /** Removes a request that has ended. */
  take(id: MessageId): ServerExchange | undefined;
  giveUp(id: MessageId): void;
}

function createExchanges(guard: InboundGuard, clock: Clock): Exchanges {
  const exchanges = createPassingMap<MessageId, ServerExchange>();
  const givenUp = new Map<MessageId, { readonly client: string | null; readonly at: number }>();
  const take = (id: MessageId): ServerExchange | undefined => {
    const exchange = exchanges.get(id);
    if (exchange !== undefined) exchanges.delete(id);
    return exchange;
  };
  return {
    exchanges,
    givenUp,
    take,
    giveUp(id) {
      guard.abandoned(id);
      const exchange = take(id);
      if (exchange === undefined || exchange.own) return;
      givenUp.set(id, { client: exchange.client?.id ?? null, at: clock.now() });
      const [oldest] = givenUp.keys();
      if (givenUp.size > GIVEN_UP && oldest !== undefined) givenUp.delete(oldest);
    },
  };
}
