import type { HistoryMessage } from "../../core/call/message.ts";
import type { KnownEvent } from "../../core/events/envelope.ts";
import { addToHistory, type HistoryEntry, toHistoryMessage, withoutResults } from "../../core/events/history.ts";
import type { Emitter } from "../events/emitter.ts";
import type { HistoryItem } from "./loop-session.ts";

/** What a journal says already: the places of its history, and the events that hold the words. */
export interface EarlierHistory {
  readonly history: readonly HistoryEntry[];
  readonly past: readonly KnownEvent[];
}

/** What was said, kept up from a session's events: those of a journal first, then those that happen. */
export function followHistory(
  { history, past }: EarlierHistory,
  live: Emitter["live"],
): (agent: string | null) => readonly HistoryItem[] {
  const entries: HistoryEntry[] = [...history];
  const said = new Map<number, HistoryMessage>();
  const read = (event: KnownEvent): void => {
    const message = toHistoryMessage(event);
    if (message !== undefined) said.set(event.seq, message);
  };
  for (const event of past) read(event);
  live((event) => {
    addToHistory(entries, event);
    read(event);
  });
  return (agent) =>
    entries.flatMap((entry) => {
      const message = said.get(entry.seq);
      if (message === undefined || entry.agent !== agent) return [];
      return [{ seq: entry.seq, message: entry.bare === true ? withoutResults(message) : message }];
    });
}
