import type { HistoryMessage } from "../../core/call/message.ts";
import type { KnownEvent } from "../../core/events/envelope.ts";
import { addToHistory, type HistoryEntry, toHistoryMessage, withoutResults } from "../../core/events/history.ts";
import type { Emitter } from "../events/emitter.ts";
import type { HistoryItem } from "./loop-session.ts";

/** What was said, kept up from a session's events: those of a journal first, then those that happen. */
export function followHistory(
  past: readonly KnownEvent[],
  live: Emitter["live"],
): (agent: string | null) => readonly HistoryItem[] {
  const entries: HistoryEntry[] = [];
  const said = new Map<number, HistoryMessage>();
  const take = (event: KnownEvent): void => {
    addToHistory(entries, event);
    const message = toHistoryMessage(event);
    if (message !== undefined) said.set(event.seq, message);
  };
  for (const event of past) take(event);
  live(take);
  return (agent) =>
    entries.flatMap((entry) => {
      const message = said.get(entry.seq);
      if (message === undefined || entry.agent !== agent) return [];
      return [{ seq: entry.seq, message: entry.bare === true ? withoutResults(message) : message }];
    });
}
