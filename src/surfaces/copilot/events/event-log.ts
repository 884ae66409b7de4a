import type { CopilotEvent } from "../wire/copilot-event.ts";
import { type Json, recordsOf } from "../wire/wire-values.ts";

/** What of the log is asked for at every call, kept up so that nobody reads all of it for that. */
export interface LogNotes {
  messages: number;
  /** Ids of the messages that clients sent. */
  readonly sent: Set<unknown>;
  /** Calls that a model made or that began, by their ids, until they end. */
  readonly calls: Map<unknown, NotedCall>;
}

interface NotedCall {
  /** As the model wrote it; null where no model made it. */
  readonly asked: Json | null;
  readonly isStarted: boolean;
}

interface Log {
  readonly log: CopilotEvent[];
  readonly notes: LogNotes;
}

export function newNotes(): LogNotes {
  return { messages: 0, sent: new Set(), calls: new Map() };
}

export function addToLog({ log, notes }: Log, event: CopilotEvent): void {
  log.push(event);
  note(notes, event);
}

/** Takes away all from that place on; returns it. */
export function cutLog({ log, notes }: Log, from: number): readonly CopilotEvent[] {
  const gone = log.splice(from);
  notes.messages = 0;
  notes.sent.clear();
  notes.calls.clear();
  for (const event of log) note(notes, event);
  return gone;
}

const MESSAGES: ReadonlySet<string> = new Set(["user.message", "assistant.message", "tool.execution_complete"]);

function note(notes: LogNotes, { type, data }: CopilotEvent): void {
  if (MESSAGES.has(type)) notes.messages += 1;
  if (type === "user.message") notes.sent.add(data.messageId);
  if (data.toolRequests !== undefined)
    for (const asked of recordsOf(data.toolRequests)) notes.calls.set(asked.toolCallId, { asked, isStarted: false });
  if (type === "tool.execution_start")
    notes.calls.set(data.toolCallId, { asked: notes.calls.get(data.toolCallId)?.asked ?? null, isStarted: true });
  if (type === "tool.execution_complete") notes.calls.delete(data.toolCallId);
}
