import {
  createStamper,
  type JournalEnd,
  type SessionEvent,
  type Stamps,
  type StoredEvent,
  toStored,
} from "../../core/events/envelope.ts";
import type { EventName, SessionEvents } from "../../core/events/event-types.ts";

export interface Emitter {
  /** Emits an event of the session itself or of one of its subagents. */
  emit<Name extends EventName>(name: Name, data: SessionEvents[Name], agent?: string | null): void;
  /**
   * Subscribes to one event, or to all under `*`; returns how to unsubscribe. The second argument is the event itself,
   * which says when it happened and in which agent.
   */
  on<Name extends EventName>(
    name: Name,
    listener: (data: SessionEvents[Name], event: SessionEvent) => void,
  ): () => void;
  on(name: "*", listener: (event: SessionEvent) => void): () => void;
  /**
   * Receives each event as it happens, stored or not: for the session's own parts. Nothing that leaves the session may
   * follow from it before the event is stored. Returns how to unsubscribe.
   */
  live(listener: (event: SessionEvent) => void): () => void;
  close(): void;
}

/** Stores events before listeners receive them. */
export interface EventRecording {
  /** The last event that is already stored. */
  readonly end: JournalEnd;
  record(event: StoredEvent): void;
  /** Calls back with the number of the last stored event whenever it grows. */
  onStored(listener: (seq: number) => void): void;
}

const NOBODY: readonly never[] = [];

export interface EmitterPorts extends Stamps {
  /** A listener that throws, at once or later, is reported and never keeps others from receiving the event. */
  readonly onListenerError: (error: unknown) => void;
  /** Absent: events are emitted at once and stored nowhere. */
  readonly recording?: EventRecording | undefined;
}

/** The only writer of a session's events. */
export function createEmitter({ onListenerError, recording, ...stamps }: EmitterPorts): Emitter {
  const stamp = createStamper(stamps, recording?.end);
  /** Events up to this number may be emitted. */
  let visible = recording?.end.seq ?? Number.POSITIVE_INFINITY;
  // Lists are replaced and never changed, so that an emission in progress is not affected.
  let live: readonly ((event: SessionEvent) => void)[] = [];
  const listeners = new Map<string, readonly ((data: never, event: SessionEvent) => unknown)[]>();
  /**
   * Events that a listener causes are emitted after the current one has reached everybody, so that all see one order.
   */
  const waiting: SessionEvent[] = [];
  let isTelling = false;
  let closed = false;
  const call = (name: string, data: unknown, event: SessionEvent): void => {
    for (const listener of listeners.get(name) ?? NOBODY) {
      try {
        const outcome = (listener as (data: unknown, event: SessionEvent) => unknown)(data, event); // `on` ties its type to the name it is kept under.
        if (outcome instanceof Promise) outcome.catch(onListenerError);
      } catch (error) {
        onListenerError(error);
      }
    }
  };
  const tellAll = (event: SessionEvent): void => {
    call(event.type, event.data, event);
    call("*", event, event);
  };
  const tellWaiting = (): void => {
    if (isTelling) return;
    isTelling = true;
    try {
      for (let next = waiting[0]; next !== undefined && next.seq <= visible; next = waiting[0]) {
        waiting.shift();
        tellAll(next);
      }
    } finally {
      isTelling = false;
    }
  };
  recording?.onStored((seq) => {
    visible = seq;
    tellWaiting();
  });
  return {
    emit(name, data, agent) {
      if (closed) return;
      const event = stamp(name, data, agent);
      for (const listener of live) listener(event);
      const stored = recording === undefined ? null : toStored(event);
      if (stored !== null) recording?.record(stored);
      waiting.push(event);
      tellWaiting();
    },
    live(listener) {
      const own: typeof listener = (event) => listener(event);
      live = [...live, own];
      return () => {
        live = live.filter((other) => other !== own);
      };
    },
    on(name: string, listener: (data: never, event: SessionEvent) => unknown) {
      if (typeof listener !== "function")
        throw new TypeError(`on(${JSON.stringify(name)}) needs a function behind the name`);
      const own: typeof listener = (data, event) => listener(data, event);
      listeners.set(name, [...(listeners.get(name) ?? NOBODY), own]);
      return () => {
        const others = (listeners.get(name) ?? NOBODY).filter((other) => other !== own);
        if (others.length > 0) listeners.set(name, others);
        else listeners.delete(name);
      };
    },
    close() {
      closed = true;
      waiting.length = 0;
      listeners.clear();
    },
  };
}
