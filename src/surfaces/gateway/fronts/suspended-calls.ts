import { randomBytes } from "node:crypto";
import type { Clock, Timer } from "../../../system/time/clock.ts";
import type { Conversation } from "./conversation.ts";

/** A request that waits for its client to come back with answers. */
interface Suspended {
  readonly conversation: Conversation;
  /** Who may come back, and with what. */
  readonly owner: string;
}

export interface SuspendedCalls {
  /** A state that nobody can guess, and that is useless to anybody else; null if too many wait already. */
  keep(suspended: Suspended): string | null;
  /** The request of a state, once, and only for its owner. */
  take(state: string, owner: string): Conversation | null;
  close(): void;
}

export function createSuspendedCalls({
  clock,
  timeout,
  most,
  prefix = "",
}: {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly timeout: number;
  readonly most: number;
  /** The prefix of states, by which other machines know their owner. */
  readonly prefix?: string;
}): SuspendedCalls {
  const waiting = new Map<string, Suspended & { readonly timer: Timer }>();
  return {
    keep(suspended) {
      if (waiting.size >= most) return null;
      const state = `${prefix}${suspended.conversation.id}.${randomBytes(24).toString("base64url")}`;
      const timer = clock.setTimeout(() => {
        waiting.delete(state);
        suspended.conversation.abort();
      }, timeout);
      waiting.set(state, { ...suspended, timer });
      return state;
    },
    take(state, owner) {
      const found = waiting.get(state);
      // A state that somebody else presents stays with its owner.
      if (found === undefined || found.owner !== owner) return null;
      waiting.delete(state);
      clock.clearTimeout(found.timer);
      return found.conversation;
    },
    close() {
      for (const { conversation, timer } of waiting.values()) {
        clock.clearTimeout(timer);
        conversation.abort();
      }
      waiting.clear();
    },
  };
}
