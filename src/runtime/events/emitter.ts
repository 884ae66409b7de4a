import { createStamper, type SessionEvent, type Stamps } from "../../core/events/envelope.ts";
import type { EventName, SessionEvents } from "../../core/events/event-types.ts";

export interface Emitter {
  emit<Name extends EventName>(name: Name, data: SessionEvents[Name]): void;
  /** Listens to one event, or to all of them under `*`; returns how to stop that. */
  on<Name extends EventName>(name: Name, listener: (data: SessionEvents[Name]) => void): () => void;
  on(name: "*", listener: (event: SessionEvent) => void): () => void;
  close(): void;
}

const NOBODY: readonly never[] = [];

export interface EmitterPorts extends Stamps {
  /** A listener that throws, at once or later, is reported and never keeps another from hearing. */
  readonly onListenerError: (error: unknown) => void;
}

/** The one writer of a session's events. */
export function createEmitter({ onListenerError, ...stamps }: EmitterPorts): Emitter {
  const stamp = createStamper(stamps);
  // Lists are replaced and never changed, so that whoever is being told notices nothing.
  const listeners = new Map<string, readonly ((data: never) => unknown)[]>();
  /** What a listener causes is told once everybody has heard what it was told itself, so that all hear one order. */
  const waiting: SessionEvent[] = [];
  let isTelling = false;
  let closed = false;
  const tell = (name: string, data: unknown): void => {
    for (const listener of listeners.get(name) ?? NOBODY) {
      try {
        const said = (listener as (data: unknown) => unknown)(data); // `on` ties its type to the name it is kept under.
        if (said instanceof Promise) said.catch(onListenerError);
      } catch (error) {
        onListenerError(error);
      }
    }
  };
  const tellAll = (event: SessionEvent): void => {
    tell(event.type, event.data);
    tell("*", event);
  };
  return {
    emit(name, data) {
      if (closed) return;
      waiting.push(stamp(name, data));
      if (isTelling) return;
      isTelling = true;
      try {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) tellAll(next);
      } finally {
        isTelling = false;
      }
    },
    on(name: string, listener: (data: never) => unknown) {
      if (typeof listener !== "function")
        throw new TypeError(`on(${JSON.stringify(name)}) needs a function behind the name`);
      const own = (data: never): unknown => listener(data);
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
