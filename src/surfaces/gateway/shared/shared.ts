import { SESSION_GRANTS } from "../../../runtime/crib/open-crib.ts";
import type { SharedStore } from "../../../runtime/store/late-store.ts";
import { closeLeftQuestions } from "./left-questions.ts";
import { createMachines, type Machines } from "./machines.ts";
import { createMovableCalls, GRACE, type MovableCalls } from "./movable-calls.ts";
import { createRelay, type Relay } from "./relay.ts";
import { createSessionRows, type SessionRecord, type SessionRows } from "./session-record.ts";
import { createSharedQuestions, type SharedQuestions } from "./shared-questions.ts";
import { createStoredStreams, type StoredStreams } from "./stored-streams.ts";

/** What a gateway shares with others that serve the same clients, and with itself after a restart. */
export interface Shared {
  readonly rows: SessionRows;
  readonly machines: Machines;
  readonly questions: SharedQuestions;
  readonly streams: StoredStreams;
  readonly calls: MovableCalls;
  readonly relay: Relay;
  /** Milliseconds within which a client must come back. */
  readonly window: () => number;
  /** Milliseconds after which an active client is recorded again, and within which it counts as seen lately. */
  readonly noteEvery: number;
  readonly seenWithin: number;
  /** Waits until everything is stored. */
  close(): Promise<void>;
}

/** The part that concerns one session. */
export interface SessionShare {
  /** The session's id. */
  readonly id: string;
  /** What was known when this machine took the session up; null for a new one. */
  readonly restored: SessionRecord | null;
  load(): Promise<SessionRecord | null>;
  change(change: (record: SessionRecord) => SessionRecord): Promise<void>;
  readonly machines: Machines;
  readonly questions: SharedQuestions;
  readonly relay: Relay;
  readonly calls: MovableCalls;
  /** Milliseconds within which the client must come back. */
  readonly window: () => number;
}

export interface SharedOptions {
  readonly store: SharedStore;
  /** The same for all machines that serve the same clients, and for nobody else. */
  readonly scope: string;
  /** Milliseconds of silence after which a session is forgotten. */
  readonly idle: number;
  /** Milliseconds within which a client must come back to a stream. */
  readonly window: () => number;
  readonly onError: (text: string, error: unknown) => void;
}

/** How often expired data is deleted. */
const TIDY = 60_000;
/** Milliseconds for which messages between machines are useful. */
const STALE = 3_600_000;

/** Milliseconds for which a call that another machine may deliver is remembered. */
const OLD = 86_400_000;

export function createShared({ store, scope, idle, window, onError }: SharedOptions): Shared {
  store.join();
  const rows = createSessionRows(store, scope);
  const machines = createMachines(store, scope, onError);
  const calls = createMovableCalls(store, scope, machines);
  const streams = createStoredStreams({ store, scope, machines, calls, window });
  const noteEvery = idle / 6;
  const tidy = async (): Promise<void> => {
    await rows.expire(idle + 2 * noteEvery);
    await streams.renew(STALE / 4);
    await store.expire({ kind: "messages" }, STALE);
    await calls.expire(OLD);
    await store.expire({ kind: "key-values", name: SESSION_GRANTS }, 30 * OLD);
    for (const place of ["questions", "approvals"].map((what) => `gateway:${scope}:${what}`)) {
      await closeLeftQuestions(store, place, { window: window() + GRACE, unclaimed: OLD });
      await store.expire({ kind: "questions", sessionId: place }, STALE);
    }
  };
  const timer = setInterval(() => void tidy().catch(() => {}), TIDY); // Unreachable: the next time will do.
  timer.unref();
  return {
    ...{ rows, noteEvery, seenWithin: 2 * noteEvery },
    machines,
    streams,
    window,
    calls,
    relay: createRelay(store, scope, machines),
    questions: createSharedQuestions(store, scope),
    async close() {
      clearInterval(timer);
      await streams.close();
    },
  };
}

export function toShare(
  { rows, machines, questions, relay, calls, window }: Shared,
  id: string,
  restored: SessionRecord | null,
): SessionShare {
  return {
    ...{ id, restored, machines, questions, relay, calls, window },
    load: () => rows.load(id),
    change: (change) => rows.change(id, change),
  };
}
