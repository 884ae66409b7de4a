import type { Transport } from "@modelcontextprotocol/client";
import type { Clock } from "./clock.ts";
import { createInboundGuard, type InboundCounts, type Ruling } from "./inbound-guard.ts";
import type { McpLimits } from "./limits.ts";
import { type LocalFault, toFaultAnswer } from "./local-fault.ts";
import { isRecord } from "./message.ts";
import type { MessageId } from "./message-id.ts";
import { marksOf, type RequestMarks, wrapRaw } from "./request-marks.ts";

type Outgoing = Parameters<Transport["send"]>[0];
type SendOptions = Parameters<Transport["send"]>[1];

interface ChannelOptions {
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly onListChanged: () => void;
  /** Called at most once; the transport ends itself with this reason. */
  readonly onCut: (reason: string) => void;
}

/** What every transport has between its wire and the protocol client: only judged messages go up. */
export interface Channel {
  readonly counts: InboundCounts;
  /** Where messages go up to; the protocol client sets it. */
  deliver: ((message: Outgoing) => void) | undefined;
  /** Takes note of a message before it is sent. */
  noteSent(message: unknown, options: SendOptions): void;
  /** It could not be sent after all, so no answer belongs to it. */
  noteUnsent(message: unknown): void;
  receive(message: unknown): void;
  receiveJunk(): void;
  /** Fails one open request from this side. Answers whether it was open. */
  fail(id: MessageId | null, fault: LocalFault): boolean;
  isOpen(id: MessageId): boolean;
  cut(reason: string): void;
}

export function createChannel({ limits, clock, onListChanged, onCut }: ChannelOptions): Channel {
  const guard = createInboundGuard(limits);
  const marked = new Map<MessageId, MarkedRequest>();
  let isCut = false;

  // What goes up has been sorted as a JSON-RPC message; its finer shape is the client's to check.
  const deliver = (message: unknown) => channel.deliver?.(message as Outgoing);
  const cut = (reason: string) => {
    if (isCut) return;
    isCut = true;
    onCut(reason);
  };
  const fail = (id: MessageId, fault: LocalFault) => {
    guard.settled(id);
    marked.delete(id);
    deliver(toFaultAnswer(id, fault));
  };
  const obey = (ruling: Ruling, message: unknown) => {
    switch (ruling.action) {
      case "pass":
        return deliver(unfold(message, marked));
      case "drop":
        return;
      case "progress":
        return marked.get(ruling.id)?.marks.onProgress?.(ruling.progress);
      case "list-changed":
        return onListChanged();
      case "malformed":
        return fail(ruling.id, { code: "mcp.invalid-answer", text: "The server's answer is malformed." });
      case "cut":
        return cut(ruling.reason);
    }
  };

  const channel: Channel = {
    counts: guard.counts,
    deliver: undefined,
    noteSent(message, options) {
      if (!isRecord(message)) return;
      const { id, method } = message;
      if (typeof id === "string" || typeof id === "number") {
        if (typeof method !== "string") return;
        guard.opened(id);
        const marks = marksOf(message);
        if (marks !== null) marked.set(id, { method, marks });
        // Where a request has a stream of its own, closing that is how it is given up.
        options?.requestSignal?.addEventListener("abort", () => giveUp(id), { once: true });
      } else if (method === "notifications/cancelled" && isRecord(message.params)) {
        const { requestId } = message.params;
        if (typeof requestId === "string" || typeof requestId === "number") giveUp(requestId);
      }
    },
    noteUnsent(message) {
      if (!isRecord(message) || message.method === undefined) return;
      if (typeof message.id === "string" || typeof message.id === "number") giveUp(message.id);
    },
    receive(message) {
      if (!isCut) obey(guard.judge(message, clock.now()), message);
    },
    receiveJunk() {
      if (!isCut) obey(guard.judgeJunk(clock.now()), null);
    },
    fail(id, fault) {
      if (id === null || !guard.isOpen(id)) return false;
      fail(id, fault);
      return true;
    },
    isOpen: guard.isOpen,
    cut,
  };
  const giveUp = (id: MessageId) => {
    guard.abandoned(id);
    marked.delete(id);
  };
  return channel;
}

interface MarkedRequest {
  readonly method: string;
  readonly marks: RequestMarks;
}

function unfold(message: unknown, marked: Map<MessageId, MarkedRequest>): unknown {
  if (!isRecord(message) || (typeof message.id !== "string" && typeof message.id !== "number")) return message;
  if (message.method !== undefined) return message;
  const request = marked.get(message.id);
  marked.delete(message.id);
  return request?.marks.raw ? wrapRaw(request.method, message) : message;
}
