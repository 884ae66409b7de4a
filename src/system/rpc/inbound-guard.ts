import { createFaultWindow } from "../time/fault-window.ts";
import { createTokenBucket } from "../time/token-bucket.ts";
import { type Inbound, sortMessage } from "./message.ts";
import type { MessageId } from "./message-id.ts";

/** What the other side may send without being cut off; times in milliseconds. */
export interface GuardLimits {
  /** Unreadable messages and answers to no request: this many within `badLineWindow` are too many. */
  readonly badLines: number;
  readonly badLineWindow: number;
  /** Unsolicited messages: this many at once, and `floodRate` a second in the long run. */
  readonly floodBurst: number;
  readonly floodRate: number;
}

/** What to do with input. `cut` ends the connection, with a reason for people. */
export type GuardRuling =
  | Exclude<Inbound, { kind: "junk" }>
  /** `isJunk`: it is no message of the protocol. */
  | { readonly kind: "drop"; readonly isJunk?: true }
  | { readonly kind: "cut"; readonly reason: string };

/** Counters for a server's operator. */
export interface InboundCounts {
  readonly junk: number;
  /** Answers to no open request: duplicates, inventions. */
  readonly stray: number;
  /** Answers that arrived after their request was given up. */
  readonly late: number;
  readonly unsolicited: number;
}

/**
 * Decides message by message what passes. An answer passes only to the request that is open under exactly its id;
 * unsolicited messages are counted and, if they flood, end the connection.
 */
export interface InboundGuard {
  readonly counts: InboundCounts;
  opened(id: MessageId): void;
  /** The request was given up; its answer may still arrive and is no fault. */
  abandoned(id: MessageId): void;
  isOpen(id: MessageId): boolean;
  /** Judges a parsed message. */
  judge(message: unknown, now: number): GuardRuling;
  /** Judges input that is no message at all. */
  judgeJunk(now: number): GuardRuling;
  /** The request failed here; its answer will not arrive, or is not wanted. */
  settled(id: MessageId): void;
}

const DROP: GuardRuling = { kind: "drop" };
const DROP_JUNK: GuardRuling = { kind: "drop", isJunk: true };
const LATE_IDS = 1_000;

export function createInboundGuard(limits: GuardLimits): InboundGuard {
  const open = new Set<MessageId>();
  const given = new Set<MessageId>();
  const faults = createFaultWindow(limits.badLines, limits.badLineWindow);
  const bucket = createTokenBucket(limits.floodBurst, limits.floodRate);
  const counts = { junk: 0, stray: 0, late: 0, unsolicited: 0 };

  const fault = (kind: "junk" | "stray", now: number): GuardRuling => {
    counts[kind] += 1;
    if (!faults.add(now)) return kind === "junk" ? DROP_JUNK : DROP;
    const seconds = limits.badLineWindow / 1000;
    const reason = `it sent ${limits.badLines} lines that are no message or answer no call within ${seconds} s`;
    return { kind: "cut", reason };
  };
  const unsolicited = (message: GuardRuling, now: number): GuardRuling => {
    counts.unsolicited += 1;
    if (bucket.take(1, now)) return message;
    const reason = `it sent more than ${limits.floodBurst} messages that nobody asked for, faster than ${limits.floodRate} a second`;
    return { kind: "cut", reason };
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
      if (sorted.kind === "junk") return fault("junk", now);
      if (sorted.kind !== "answer") return unsolicited(sorted, now);
      if (open.delete(sorted.id)) return sorted;
      if (!given.delete(sorted.id)) return fault("stray", now);
      counts.late += 1;
      return DROP;
    },
    judgeJunk: (now) => fault("junk", now),
  };
}
