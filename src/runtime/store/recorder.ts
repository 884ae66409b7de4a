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
  const { end } = journal;
  const changesOf = createQuestionBook(open);
  const recording: Recording = {
    ...{ journal, clock, patience, unstored: [], parts: new Map(), waiters: [], onStoredUpTo: () => {} },
    ...{ last: end.seq, storedUpTo: end.seq, ended: null, isWorking: false, away: null },
  };
  const stored = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const { ended, storedUpTo, last: seq, away, waiters } = recording;
      if (ended !== null) reject(ended.error);
      else if (storedUpTo >= seq) resolve();
      // If the store has been unreachable for long already, its next answer decides.
      else waiters.push({ seq, since: away ?? clock.now(), resolve, reject });
    });
  return {
    end,
    fenced: journal.fenced,
    mayStart: () => recording.ended === null && journal.mayStart(),
    record(event) {
      if (recording.ended !== null) return;
      recording.unstored.push({ event, changes: changesOf(event) });
      recording.last = event.seq;
      if (!recording.isWorking) void work(recording);
    },
    keep(more) {
      for (const [hash, text] of more) recording.parts.set(hash, text);
    },
    onStored(listener) {
      recording.onStoredUpTo = listener;
    },
    stored,
    async close() {
      await stored().catch(() => undefined);
      giveUp(recording, new ToolcribError("session.closed", `session ${journal.sessionId} is closed`));
      await journal.release().catch(() => undefined); // Its lease expires by itself.
    },
  };
}

interface Recording {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly patience: number;
  readonly unstored: Unstored[];
  readonly parts: Map<string, string>;
  waiters: Waiter[];
  onStoredUpTo: (seq: number) => void;
  /** The number of the last event. */
  last: number;
  storedUpTo: number;
  /** Nothing is stored any more. */
  ended: { readonly error: unknown } | null;
  isWorking: boolean;
  /** When the store became unreachable. */
  away: number | null;
}

/** Stores until nothing is left. */
async function work(recording: Recording): Promise<void> {
  const { clock, patience, unstored } = recording;
  recording.isWorking = true;
  for (let failures = 0; unstored.length > 0 && recording.ended === null; ) {
    try {
      // Everything else that happens in this tick, and as its immediate consequence, is stored in the same batch.
      await setImmediate();
      await storeSome(recording);
      failures = 0;
      recording.away = null;
    } catch (error) {
      if (!isAway(error)) return giveUp(recording, error);
      recording.away ??= clock.now();
      for (const waiter of takeWaiters(recording, ({ since }) => clock.now() - since >= patience)) waiter.reject(error);
      await wait(clock, backoffDelay(failures, Math.random(), BACKOFF));
      failures += 1;
    }
  }
  recording.isWorking = false;
}

async function storeSome(recording: Recording): Promise<void> {
  const { journal, unstored, parts } = recording;
  const batch = unstored.slice(0, AT_ONCE);
  const sent = new Map(parts);
  if (sent.size > 0) await journal.keep(sent);
  for (const hash of sent.keys()) parts.delete(hash);
  await append(journal, batch);
  unstored.splice(0, batch.length);
  const upTo = batch.at(-1)?.event.seq ?? recording.storedUpTo;
  recording.storedUpTo = upTo;
  recording.onStoredUpTo(upTo);
  for (const waiter of takeWaiters(recording, ({ seq }) => seq <= upTo)) waiter.resolve();
}

function giveUp(recording: Recording, error: unknown): void {
  recording.ended ??= { error };
  for (const waiter of takeWaiters(recording, () => true)) waiter.reject(error);
}

/** Those who need not wait any longer. */
function takeWaiters(recording: Recording, isDone: (waiter: Waiter) => boolean): readonly Waiter[] {
  const { waiters } = recording;
  if (waiters.length === 0) return waiters;
  recording.waiters = waiters.filter((waiter) => !isDone(waiter));
  return waiters.filter(isDone);
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
