import type { Notice } from "../../core/codes/reason.ts";
import type { Mode } from "../../core/scene/scene.ts";
import type { ExternalCompletion, ExternalRequest } from "../../sources/external/pending-calls.ts";
import type { CallEvents } from "../executor/call-events.ts";

/** What each event of a session carries. */
export interface SessionEvents extends CallEvents {
  /** The tools changed for this model; whoever wants the schemas asks the session. */
  readonly "session.tools_updated": { readonly model: string | null };
  readonly "session.mode_changed": { readonly previousMode: Mode; readonly newMode: Mode };
  /** A run on autopilot says that it is done. */
  readonly "session.task_complete": { readonly summary: string };
  readonly "session.info": Omit<Notice, "level">;
  readonly "session.warning": Omit<Notice, "level">;
  readonly "skill.invoked": { readonly name: string };
  readonly "external_tool.requested": ExternalRequest;
  readonly "external_tool.completed": ExternalCompletion;
}

export type EventName = keyof SessionEvents;

/** Whether an event is only for those who listen now; such events are never stored or replayed. */
const EPHEMERAL = {
  "session.tools_updated": true,
  "session.mode_changed": false,
  "session.task_complete": false,
  "session.info": false,
  "session.warning": false,
  "skill.invoked": false,
  "external_tool.requested": false,
  "external_tool.completed": false,
  "tool.execution_start": false,
  "tool.execution_progress": true,
  "tool.execution_complete": false,
  "permission.requested": false,
  "permission.completed": false,
  "hook.start": false,
  "hook.end": false,
} as const satisfies Record<EventName, boolean>;

export type SessionEvent = {
  readonly [Name in EventName]: {
    readonly type: Name;
    readonly ephemeral: boolean;
    readonly data: SessionEvents[Name];
  };
}[EventName];

export interface Emitter {
  emit<Name extends EventName>(name: Name, data: SessionEvents[Name]): void;
  /** Listens to one event, or to all of them under `*`; returns how to stop that. */
  on<Name extends EventName>(name: Name, listener: (data: SessionEvents[Name]) => void): () => void;
  on(name: "*", listener: (event: SessionEvent) => void): () => void;
  close(): void;
}

const NOBODY: readonly never[] = [];

/** A listener that throws, at once or later, is reported and never keeps another from hearing. */
export function createEmitter(onListenerError: (error: unknown) => void): Emitter {
  // Lists are replaced and never changed, so that whoever is being told notices nothing.
  const listeners = new Map<string, readonly ((data: never) => unknown)[]>();
  /** What a listener causes is told once everybody has heard what it was told itself, so that all hear one order. */
  const waiting: { readonly name: EventName; readonly data: unknown }[] = [];
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
  const tellAll = (name: EventName, data: unknown): void => {
    tell(name, data);
    if (listeners.has("*")) tell("*", { type: name, ephemeral: EPHEMERAL[name], data });
  };
  return {
    emit(name, data) {
      if (closed) return;
      if (isTelling) {
        waiting.push({ name, data });
        return;
      }
      isTelling = true;
      try {
        tellAll(name, data);
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) tellAll(next.name, next.data);
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
