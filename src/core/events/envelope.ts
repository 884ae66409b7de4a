import { CRITICAL, EPHEMERAL, type EventName, type SessionEvents } from "./event-types.ts";

/** What every event of a session carries in addition to its data. */
interface Envelope {
  readonly id: string;
  /** Counts the stored events of the session from 1; an ephemeral event has the number of the one before it. */
  readonly seq: number;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** Id of the stored event before it; null for the first. */
  readonly parent: string | null;
  /** The subagent it happened in; null for the session itself. */
  readonly agent: string | null;
}

export type SessionEvent = {
  readonly [Name in EventName]: Envelope & {
    readonly type: Name;
    /** For current listeners only: never stored or replayed. */
    readonly ephemeral: boolean;
    readonly data: SessionEvents[Name];
  };
}[EventName];

/** A stored event of a type that this version knows. */
export type KnownEvent = SessionEvent extends infer Event
  ? Event extends SessionEvent
    ? Omit<Event, "ephemeral">
    : never
  : never;

/** An event as a journal stores it; its type may come from a newer version. */
export interface StoredEvent extends Envelope {
  readonly type: string;
  /** A program that does not know the type must not continue the session. */
  readonly critical?: true;
  readonly data: unknown;
}

/** The form that a journal stores; null for an ephemeral event. */
export function toStored({ ephemeral, id, seq, at, parent, agent, type, data }: SessionEvent): StoredEvent | null {
  if (ephemeral) return null;
  const event = { id, seq, at, parent, agent, type, data };
  return CRITICAL.has(type) ? { ...event, critical: true } : event;
}

export interface Stamps {
  /** Milliseconds since 1970. */
  readonly today: () => number;
  readonly newId: () => string;
}

/** The number and id of a journal's last event. */
export interface JournalEnd {
  readonly seq: number;
  readonly last: string | null;
}

/** Puts events of one session into envelopes in order, following the event that `end` names. */
export function createStamper(
  { today, newId }: Stamps,
  end: JournalEnd = { seq: 0, last: null },
): (type: EventName, data: unknown, agent?: string | null) => SessionEvent {
  let seq = end.seq;
  let parent = end.last;
  return (type, data, agent = null) => {
    const ephemeral = EPHEMERAL[type] || isSaidAgain(type, data);
    const id = newId();
    if (!ephemeral) seq += 1;
    const event = { id, seq, at: today(), parent, agent, type, ephemeral, data } as SessionEvent; // `emit` ties data to its type.
    if (!ephemeral) parent = id;
    return event;
  };
}

/** Need not be stored, because the next event contains it. */
function isSaidAgain(type: EventName, data: unknown): boolean {
  return type === "tool.running" && (data as SessionEvents["tool.running"]).onlyAsks === true; // `emit` ties data to its type.
}
