import { setImmediate } from "node:timers/promises";
import { isToolcribError, ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { StoredEvent } from "../../core/events/envelope.ts";
import type { JournalState } from "../../core/events/journal-state.ts";
import { backoffDelay } from "../../system/time/backoff.ts";
import type { Clock } from "../../system/time/clock.ts";
import type { EventRecording } from "../events/emitter.ts";
import { createQuestionBook } from "./event-questions.ts";
import type { Journal, NewQuestion, QuestionChanges } from "./store.ts";

/** Stores the events of a session in order. Nobody outside sees an event before it is stored. */
export interface Recorder extends EventRecording {
  /**
   * Waits until all events so far are stored. Rejects if the store is unreachable for long: the events are buffered and
   * stored once it is back, but nothing may follow from them yet.
   */
  stored(): Promise<void>;
  /** Values that the next event refers to by hash: stored before it. */
  keep(parts: ReadonlyMap<string, string>): void;
  /**
   * Whether something that must not run twice may be started now; check this after the event that announces it was
   * stored.
   */
  mayStart(): boolean;
  /** Aborted if another process took the session over. */
  readonly fenced: AbortSignal;
  /** Stores the remaining events as far as possible, and releases the session. */
  close(): Promise<void>;
}

interface Waiter {
  readonly seq: number;
  readonly since: number;
  resolve(): void;
  reject(error: unknown): void;
}

interface Unstored {
  readonly event: StoredEvent;
  readonly changes: QuestionChanges;
}

/** Milliseconds after which waiters are told that the store is unreachable. */
const PATIENCE = 5_000;
const BACKOFF = { backoffFirst: 50, backoffMost: 1_000 };
/** Events that one transaction takes. */
const AT_ONCE = 500;

export function createRecorder(
  journal: Journal,
  clock: Clock,
  open: JournalState["questions"] = new Map(),
  patience = PATIENCE,
): Recorder {
  const end = journal.end;
  const changesOf = createQuestionBook(open);
  const unstored: Unstored[] = [];
  const parts = new Map<string, string>();
  let waiters: Waiter[] = [];
  let storedUpTo = end.seq;
  let last = end.seq;
  let onStoredUpTo: (seq: number) => void = () => {};
  let ended: { readonly error: unknown } | null = null;
  let isWorking = false;
  /** When the store became unreachable. */
  let away: number | null = null;

  const settle = (isDone: (waiter: Waiter) => boolean, finish: (waiter: Waiter) => void): void => {
    const done = waiters.filter(isDone);
    waiters = waiters.filter((waiter) => !isDone(waiter));
    for (const waiter of done) finish(waiter);
  };
  const giveUp = (error: unknown): void => {
    ended ??= { error };
    settle(
      () => true,
      (waiter) => waiter.reject(error),
    );
  };
  const storeSome = async (): Promise<void> => {
    const batch = unstored.slice(0, AT_ONCE);
    const sent = new Map(parts);
    if (sent.size > 0) await journal.keep(sent);
    for (const hash of sent.keys()) parts.delete(hash);
    await append(journal, batch);
    unstored.splice(0, batch.length);
    storedUpTo = batch.at(-1)?.event.seq ?? storedUpTo;
    onStoredUpTo(storedUpTo);
    settle(
      ({ seq }) => seq <= storedUpTo,
      (waiter) => waiter.resolve(),
    );
  };
  const work = async (): Promise<void> => {
    for (let failures = 0; unstored.length > 0 && ended === null; ) {
      try {
        // Everything else that happens in this tick, and as its immediate consequence, is stored in the same batch.
        await setImmediate();
        await storeSome();
        [failures, away] = [0, null];
      } catch (error) {
        if (!isAway(error)) return giveUp(error);
        away ??= clock.now();
        settle(
          ({ since }) => clock.now() - since >= patience,
          (waiter) => waiter.reject(error),
        );
        await wait(clock, backoffDelay(failures, Math.random(), BACKOFF));
        failures += 1;
      }
    }
    isWorking = false;
  };
  const stored = (): Promise<void> =>
    new Promise((resolve, reject) => {
      if (ended !== null) reject(ended.error);
      else if (storedUpTo >= last) resolve();
      // If the store has been unreachable for long already, its next answer decides.
      else waiters.push({ seq: last, since: away ?? clock.now(), resolve, reject });
    });
  return {
    end,
    fenced: journal.fenced,
    mayStart: () => ended === null && journal.mayStart(),
    record(event) {
      if (ended !== null) return;
      unstored.push({ event, changes: changesOf(event) });
      last = event.seq;
      if (isWorking) return;
      isWorking = true;
      void work();
    },
    keep(more) {
      for (const [hash, text] of more) parts.set(hash, text);
    },
    onStored(listener) {
      onStoredUpTo = listener;
    },
    stored,
    async close() {
      await stored().catch(() => undefined);
      giveUp(new ToolcribError("session.closed", `session ${journal.sessionId} is closed`));
      await journal.release().catch(() => undefined); // Its lease expires by itself.
    },
  };
}

function append(journal: Journal, batch: readonly Unstored[]): Promise<void> {
  const events: StoredEvent[] = [];
  const asked: NewQuestion[] = [];
  const closed: string[] = [];
  for (const { event, changes } of batch) {
    events.push(event);
    if (changes.asked !== undefined) asked.push(...changes.asked);
    if (changes.closed !== undefined) closed.push(...changes.closed);
  }
  return journal.append(events, { asked, closed });
}

function isAway(error: unknown): boolean {
  return isToolcribError(error) && error.code === "store.unavailable";
}

function wait(clock: Clock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimeout(resolve, milliseconds));
}
