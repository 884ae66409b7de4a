import { EPHEMERAL, type EventName, type SessionEvents } from "./event-types.ts";

/** What every event of a session carries besides its data. */
export interface Envelope {
  readonly id: string;
  /** Counts the events of the session that can be stored, from 1; a passing one has the number of the stored one before it. */
  readonly seq: number;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** The stored event before it; null for the first. */
  readonly parent: string | null;
  /** The subagent it happened in; null: the session's own. */
  readonly agent: string | null;
}

export type SessionEvent = {
  readonly [Name in EventName]: Envelope & {
    readonly type: Name;
    /** Only for those who listen now: never stored or replayed. */
    readonly ephemeral: boolean;
    readonly data: SessionEvents[Name];
  };
}[EventName];

export interface Stamps {
  /** Milliseconds since 1970. */
  readonly today: () => number;
  readonly newId: () => string;
}

/** Puts events of one session into envelopes, in the order in which they happen. */
export function createStamper({ today, newId }: Stamps): (type: EventName, data: unknown) => SessionEvent {
  let seq = 0;
  let parent: string | null = null;
  return (type, data) => {
    const ephemeral = EPHEMERAL[type];
    const id = newId();
    if (!ephemeral) seq += 1;
    const event = { id, seq, at: today(), parent, agent: null, type, ephemeral, data } as SessionEvent; // `emit` ties data to its type.
    if (!ephemeral) parent = id;
    return event;
  };
}
