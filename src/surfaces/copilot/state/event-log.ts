import { type Json, recordsOf } from "../wire/wire-values.ts";

/** An event as clients get it. */
export interface CopilotEvent {
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
  readonly type: string;
  readonly data: Json;
  readonly ephemeral?: true;
  readonly agentId?: string;
}

/** What of the log is asked for at every call, counted as events come. */
interface LogNotes {
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

/** A call whose tool a client runs. */
export interface ClientCall {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly args: unknown;
}

interface Log {
  /** All that is stored, oldest first. */
  readonly log: CopilotEvent[];
  readonly notes: LogNotes;
}

/** What has happened in a session, as its clients were told. */
export interface EventLog extends Log {
  /** All that happened lately, stored or passing, with a running number. */
  readonly ring: { readonly at: number; readonly event: CopilotEvent }[];
  /** The number of the last event. */
  last: number;
  /** Where stored events are in the journal. */
  readonly places: Map<string, number>;
  /** Called whenever something happened. */
  readonly waiting: Set<() => void>;
  /** Calls that clients have to answer, by request. */
  readonly calls: Map<string, ClientCall>;
  /** The message whose failure was reported by an event of the run itself. */
  failed: string | null;
  /** Clients were sent an error since something began to run. */
  hasError: boolean;
  /** Resolves once the client's files are written. */
  written: Promise<void>;
  /** Lines that are not written yet, by file. */
  readonly unwritten: Map<string, string>;
}

export function newLog(): EventLog {
  return {
    ...{ log: [], notes: newNotes(), ring: [], last: 0, places: new Map(), waiting: new Set(), calls: new Map() },
    ...{ failed: null, hasError: false, written: Promise.resolve(), unwritten: new Map() },
  };
}

function newNotes(): LogNotes {
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
    for (const asked of recordsOf(data.toolRequests)) {
      // In journals of before, calls that started early stand before their message.
      const { isStarted = false } = notes.calls.get(asked.toolCallId) ?? {};
      notes.calls.set(asked.toolCallId, { asked, isStarted });
    }
  if (type === "tool.execution_start")
    notes.calls.set(data.toolCallId, { asked: notes.calls.get(data.toolCallId)?.asked ?? null, isStarted: true });
  if (type === "tool.execution_complete") notes.calls.delete(data.toolCallId);
}
