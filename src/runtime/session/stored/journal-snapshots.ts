import type { StoredEvent } from "../../../core/events/envelope.ts";
import { createFold, foldJournal } from "../../../core/events/fold-journal.ts";
import { EMPTY_STATE, type JournalState } from "../../../core/events/journal-state.ts";
import { fromSnapshot, toSnapshot } from "../../../core/events/snapshot.ts";
import type { Recorder } from "../../store/recorder.ts";
import type { Journal, Store } from "../../store/store.ts";

/** The state, and the events that hold what it names; what lies before a snapshot and is named by nothing is not read. */
export async function readState(
  store: Store,
  journal: Journal,
): Promise<{ readonly state: JournalState; readonly events: readonly StoredEvent[] }> {
  const saved = await journal.loadSnapshot();
  const before = saved === null ? null : fromSnapshot(saved.text);
  const from = before?.readOnly === null && before.seq <= journal.end.seq ? before : EMPTY_STATE;
  let after = from.seq;
  for (const { seq } of [...from.history, ...from.calls.values()]) after = Math.min(after, seq - 1);
  const events = await store.read(journal.sessionId, { after });
  return { state: foldJournal(events, from), events };
}

/** Events between two snapshots. */
const SNAPSHOT_EVERY = 1_000;
/** Events from which on a session that is closed is worth one. */
const SNAPSHOT_LEAST = 100;

/** Saves the state now and then, so that a long journal need not be read from its start. */
export function withSnapshots(
  recorder: Recorder,
  journal: Journal,
  first: JournalState,
): { readonly recorder: Recorder; readonly isWaiting: () => boolean } {
  const fold = createFold(first);
  let saved = first.seq;
  let last = first.seq;
  const save = async (): Promise<void> => {
    const snapshot = { seq: last, text: toSnapshot(fold.state) };
    saved = last;
    await recorder.stored();
    await journal.saveSnapshot(snapshot);
  };
  // Without one, all is read again.
  const trySave = (): Promise<void> => save().catch(() => {});
  const following: Recorder = {
    ...recorder,
    record(event) {
      recorder.record(event);
      fold.apply(event);
      last = event.seq;
      if (last - saved >= SNAPSHOT_EVERY) void trySave();
    },
    async close() {
      if (last - saved >= SNAPSHOT_LEAST) await trySave();
      await recorder.close();
    },
  };
  return { recorder: following, isWaiting: () => fold.state.questions.size > 0 };
}
