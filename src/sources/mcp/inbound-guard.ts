import { sortMessage } from "../../system/rpc/message.ts";
import type { MessageId } from "../../system/rpc/message-id.ts";
import { createFaultWindow } from "../../system/time/fault-window.ts";
import { createTokenBucket } from "../../system/time/token-bucket.ts";
import type { McpLimits } from "./limits.ts";

type Params = Readonly<Record<string, unknown>>;

/** What to do with something that arrived. `cut` ends the connection, with a reason for people. */
export type GuardRuling =
  | { readonly action: "pass" }
  | { readonly action: "drop" }
  | { readonly action: "progress"; readonly id: MessageId; readonly params: Params }
  /** A question of the server. */
  | { readonly action: "question"; readonly id: MessageId; readonly method: string }
  | { readonly action: "notify"; readonly method: string; readonly params: Params }
  /** It answers an open request and cannot be understood, so that request has failed. */
  | { readonly action: "malformed"; readonly id: MessageId }
  | { readonly action: "cut"; readonly reason: string };

/** Counts for people who look after a server. */
export interface InboundCounts {
  readonly junk: number;
  /** Answers to no open request: duplicates, inventions. */
  readonly stray: number;
  /** Answers that came after their request was given up. */
  readonly late: number;
  readonly unsolicited: number;
}

/**
 * Decides message by message what reaches the protocol client. An answer passes only to the one request that is open
 * under exactly its id; what nobody asked for is counted and, when it floods, ends the connection.
 */
export interface InboundGuard {
  readonly counts: InboundCounts;
  opened(id: MessageId): void;
  /** The request was given up; its answer may still come and is no fault. */
  abandoned(id: MessageId): void;
  isOpen(id: MessageId): boolean;
  /** Takes a parsed message. */
  judge(message: unknown, now: number): GuardRuling;
  /** Takes note of input that is no message at all. */
  judgeJunk(now: number): GuardRuling;
  /** The request failed here; its answer is not coming, or not wanted. */
  settled(id: MessageId): void;
}

const PASS: GuardRuling = { action: "pass" };
const DROP: GuardRuling = { action: "drop" };
const LATE_IDS = 1_000;

export function createInboundGuard(limits: McpLimits): InboundGuard {
  const open = new Set<MessageId>();
  const given = new Set<MessageId>();
  const faults = createFaultWindow(limits.badLines, limits.badLineWindow);
  const bucket = createTokenBucket(limits.floodBurst, limits.floodRate);
  const counts = { junk: 0, stray: 0, late: 0, unsolicited: 0 };

  const fault = (now: number): GuardRuling =>
    faults.add(now)
      ? {
          action: "cut",
          reason: `it sent ${limits.badLines} lines that are no message or answer no call within ${limits.badLineWindow / 1000} s`,
        }
      : DROP;
  const unsolicited = (now: number, ruling: GuardRuling): GuardRuling => {
    counts.unsolicited += 1;
    if (bucket.take(1, now)) return ruling;
    const reason = `it sent more than ${limits.floodBurst} messages that nobody asked for, faster than ${limits.floodRate} a second`;
    return { action: "cut", reason };
  };
  const giveUp = (id: MessageId): void => {
    open.delete(id);
    given.add(id);
    const [oldest] = given;
    if (given.size > LATE_IDS && oldest !== undefined) given.delete(oldest);
  };

  return {
    counts,
    opened: (id) => void open.add(id),
    abandoned: (id) => {
      if (open.has(id)) giveUp(id);
    },
    settled: giveUp,
    isOpen: (id) => open.has(id),
    judge(message, now) {
      const sorted = sortMessage(message);
      switch (sorted.kind) {
        case "answer":
          if (open.delete(sorted.id)) return sorted.wellFormed ? PASS : { action: "malformed", id: sorted.id };
          if (given.delete(sorted.id)) {
            counts.late += 1;
            return DROP;
          }
          counts.stray += 1;
          return fault(now);
        case "request":
          return unsolicited(now, { action: "question", id: sorted.id, method: sorted.method });
        case "notification":
          return unsolicited(now, judgeNotification(sorted.method, sorted.params, open));
        case "junk":
          counts.junk += 1;
          return fault(now);
      }
    },
    judgeJunk(now) {
      counts.junk += 1;
      return fault(now);
    },
  };
}

function judgeNotification(method: string, params: Params, open: ReadonlySet<MessageId>): GuardRuling {
  switch (method) {
    case "notifications/progress":
      return judgeProgress(params, open);
    case "notifications/cancelled":
    case "notifications/subscriptions/acknowledged":
      return PASS;
    default:
      return { action: "notify", method, params };
  }
}

/** The token that is sent with a request is the request's own id. */
function judgeProgress(params: Params, open: ReadonlySet<MessageId>): GuardRuling {
  const { progressToken: id } = params;
  if ((typeof id !== "number" && typeof id !== "string") || !open.has(id)) return DROP;
  return { action: "progress", id, params };
}
