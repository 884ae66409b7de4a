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
  /** As they were last asked for, until something is said. */
  const lists = new Map<string | null, readonly HistoryItem[]>();
  const read = (event: KnownEvent): void => {
    const message = toHistoryMessage(event);
    if (message !== undefined) said.set(event.seq, message);
    if (message !== undefined || CHANGES.has(event.type)) lists.clear();
  };
  for (const event of past) read(event);
  live((event) => {
    addToHistory(entries, event);
    read(event);
  });
  const list = (agent: string | null): readonly HistoryItem[] => {
    const items: HistoryItem[] = [];
    for (const { seq, agent: by, bare } of entries) {
      const message = by === agent ? said.get(seq) : undefined;
      if (message !== undefined) items.push({ seq, message: bare === true ? withoutResults(message) : message });
    }
    lists.set(agent, items);
    return items;
  };
  return (agent) => lists.get(agent) ?? list(agent);
}

/** Events that change what was said before. */
const CHANGES: ReadonlySet<string> = new Set(["history.truncated", "session.compaction_complete"]);
