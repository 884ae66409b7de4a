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

export interface FollowedHistory {
  items(): readonly HistoryItem[];
  close(): void;
}

/**
 * The history of one agent, maintained from a session's events: those of a journal first, then new ones. It keeps what
 * the model still reads, and nothing of other agents.
 */
export function followHistory(
  agent: string | null,
  { history, past }: EarlierHistory,
  live: Emitter["live"],
): FollowedHistory {
  const entries: HistoryEntry[] = history.filter((entry) => entry.agent === agent);
  const messages = new Map<number, HistoryMessage>();
  /** The current messages, once somebody asked for them. */
  let growing: HistoryItem[] | null = null;
  /** The list last handed out, until a message is added. */
  let given: readonly HistoryItem[] | null = null;
  const read = (event: KnownEvent): void => {
    const message = event.agent === agent ? toHistoryMessage(event) : undefined;
    if (message !== undefined) messages.set(event.seq, message);
    if (CHANGES.has(event.type)) growing = null;
    else if (message !== undefined) growing?.push({ seq: event.seq, message });
    else return;
    given = null;
  };
  const forget = (): void => {
    const read = new Set(entries.map(({ seq }) => seq));
    for (const seq of messages.keys()) if (!read.has(seq)) messages.delete(seq);
  };
  for (const event of past) read(event);
  forget();
  const close = live((event) => {
    if (event.agent !== agent && event.type !== "history.truncated") return;
    addToHistory(entries, event);
    read(event);
    if (CHANGES.has(event.type)) forget();
  });
  const list = (): HistoryItem[] =>
    entries.flatMap(({ seq, bare }): HistoryItem[] => {
      const message = messages.get(seq);
      return message === undefined ? [] : [{ seq, message: bare === true ? withoutResults(message) : message }];
    });
  return {
    items() {
      growing ??= list();
      given ??= growing.slice();
      return given;
    },
    close,
  };
}

/** Events that change earlier messages. */
const CHANGES: ReadonlySet<string> = new Set(["history.truncated", "session.compaction_complete"]);
