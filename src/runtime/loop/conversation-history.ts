import type { HistoryMessage } from "../../core/call/message.ts";
import type { KnownEvent } from "../../core/events/envelope.ts";
import { addToHistory, type HistoryEntry, toHistoryMessage, withoutResults } from "../../core/events/history.ts";
import type { Emitter } from "../events/emitter.ts";
import type { HistoryItem } from "./loop-session.ts";

/** The content of a journal: the positions of its history, and the events with the texts. */
export interface EarlierHistory {
  readonly history: readonly HistoryEntry[];
  readonly past: readonly KnownEvent[];
}

/** The history, maintained from a session's events: those of a journal first, then new ones. */
export function followHistory(
  { history, past }: EarlierHistory,
  live: Emitter["live"],
): (agent: string | null) => readonly HistoryItem[] {
  const entries: HistoryEntry[] = [...history];
  const messages = new Map<number, HistoryMessage>();
  /** The current messages of each agent that was asked for, and the list last handed out, until a message is added. */
  const growing = new Map<string | null, HistoryItem[]>();
  const given = new Map<string | null, readonly HistoryItem[]>();
  const read = (event: KnownEvent): void => {
    const message = toHistoryMessage(event);
    if (message !== undefined) messages.set(event.seq, message);
    if (CHANGES.has(event.type)) {
      growing.clear();
      given.clear();
    } else if (message !== undefined) {
      growing.get(event.agent)?.push({ seq: event.seq, message });
      given.delete(event.agent);
    }
  };
  for (const event of past) read(event);
  live((event) => {
    addToHistory(entries, event);
    read(event);
  });
  const list = (agent: string | null): HistoryItem[] => {
    const items: HistoryItem[] = [];
    for (const { seq, agent: by, bare } of entries) {
      const message = by === agent ? messages.get(seq) : undefined;
      if (message !== undefined) items.push({ seq, message: bare === true ? withoutResults(message) : message });
    }
    growing.set(agent, items);
    return items;
  };
  return (agent) => {
    const known = given.get(agent) ?? (growing.get(agent) ?? list(agent)).slice();
    given.set(agent, known);
    return known;
  };
}

/** Events that change earlier messages. */
const CHANGES: ReadonlySet<string> = new Set(["history.truncated", "session.compaction_complete"]);
