import { MOST_WAITING } from "../../../core/agent/between-agents.ts";
import { createChangeListeners } from "../../../sources/parts/change-listeners.ts";
import type { AgentEnd } from "../../agents/agent-node.ts";

/** What agents leave for the one that they work for, until its conversation takes it. */
export interface Inbox {
  /** A background agent is over. */
  report(end: AgentEnd): void;
  /** An agent writes; false where too many messages wait already. */
  tell(text: string): boolean;
  /** What arrives from now on, an end or a message. */
  onArrival(listener: (arrived: AgentEnd | string) => void): void;
  /** So many messages still wait. */
  setUnread(count: number): void;
}

export function createInbox(): Inbox {
  const arrivals = createChangeListeners<AgentEnd | string>();
  let unread = 0;
  return {
    report: arrivals.emit,
    tell(text) {
      if (unread >= MOST_WAITING) return false;
      unread += 1;
      arrivals.emit(text);
      return true;
    },
    onArrival: (listener) => void arrivals.add(listener),
    setUnread(count) {
      unread = count;
    },
  };
}
