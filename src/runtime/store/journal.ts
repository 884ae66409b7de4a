import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { JournalEnd } from "../../core/events/envelope.ts";
import type { BackEnd, EventRow, Taken } from "./back-end.ts";
import { toRow } from "./event-rows.ts";
import type { Journal, QuestionChanges } from "./store.ts";

export interface JournalPorts {
  readonly backEnd: BackEnd;
  /** Whether the lease of this process is valid. */
  readonly isGood: () => boolean;
  readonly onReleased: () => void;
  /** Wakes those who wait for answers to these questions. */
  readonly ring: (questionIds: readonly string[]) => void;
}

export interface HeldJournal extends Journal {
  /** Another process holds the journal now. */
  fence(): void;
}

export function createJournal(sessionId: string, taken: Taken, ports: JournalPorts): HeldJournal {
  const { backEnd, isGood, onReleased, ring } = ports;
  const { epoch } = taken;
  const fencing = new AbortController();
  const stored = new Set<string>();
  let end: JournalEnd = { seq: taken.seq, last: taken.last };
  let released = false;
  let working: Promise<unknown> = Promise.resolve();
  const fence = (): void => {
    if (!fencing.signal.aborted) fencing.abort(toFenced(sessionId));
    onReleased();
  };
  const requireHeld = (): void => {
    fencing.signal.throwIfAborted();
    if (released) throw new ToolcribError("session.closed", `session ${sessionId} was given back to the store`);
  };
  const keep: Journal["keep"] = async (parts) => {
    const fresh = new Map([...parts].filter(([hash]) => !stored.has(hash)));
    if (fresh.size === 0) return;
    await backEnd.keep(sessionId, fresh);
    for (const hash of fresh.keys()) stored.add(hash);
  };
  const store = async (rows: readonly EventRow[], questions: QuestionChanges): Promise<void> => {
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return;
    if (await backEnd.append({ sessionId, epoch, after: first.seq - 1, rows, ...questions })) {
      end = { seq: last.seq, last: last.id };
      return;
    }
    const now = await backEnd.endOf(sessionId);
    if (now?.epoch !== epoch) {
      fence();
      throw toFenced(sessionId);
    }
    // An earlier try has stored some of these after all, but its acknowledgement was lost.
    const stored = rows.findIndex(({ seq, id }) => seq === now.seq && id === now.last) + 1;
    if (stored === 0) throw new Error(`event ${first.seq} does not follow event ${now.seq} of session ${sessionId}`);
    end = { seq: now.seq, last: now.last };
    await store(rows.slice(stored), questions);
  };
  return {
    sessionId,
    epoch,
    get end() {
      return end;
    },
    fenced: fencing.signal,
    fence,
    mayStart: () => !released && !fencing.signal.aborted && isGood(),
    append(events, questions = {}) {
      const work = async (): Promise<void> => {
        requireHeld();
        const made = events.map(toRow);
        if (made.some(({ parts }) => parts.size > 0)) await keep(new Map(made.flatMap(({ parts }) => [...parts])));
        await store(
          made.map(({ row }) => row),
          questions,
        );
        if (questions.closed?.length) ring(questions.closed);
      };
      const result = working.then(work, work);
      working = result.catch(() => undefined);
      return result;
    },
    keep,
    saveSnapshot: (snapshot) => backEnd.saveSnapshot(sessionId, epoch, snapshot),
    loadSnapshot: () => backEnd.loadSnapshot(sessionId),
    async release() {
      if (released) return;
      released = true;
      await working;
      onReleased();
      if (!fencing.signal.aborted) await backEnd.release(sessionId, epoch);
    },
  };
}

function toFenced(sessionId: string): ToolcribError {
  return new ToolcribError(
    "store.fenced",
    `session ${sessionId} was taken over by another process, so nothing more is stored from here; resume it to go on`,
  );
}
