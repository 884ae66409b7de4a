import { OWN_STORE } from "../../../config/shape/store-shape.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { KnownEvent, StoredEvent } from "../../../core/events/envelope.ts";
import { isKnown } from "../../../core/events/fold-journal.ts";
import { EMPTY_STATE, type JournalState, type QuestionKind } from "../../../core/events/journal-state.ts";
import type { Surroundings } from "../../../system/surroundings.ts";
import type { StoredQuestions } from "../../permissions/asking.ts";
import { toChildRecorder } from "../../store/child-recorder.ts";
import type { Recorder } from "../../store/recorder.ts";
import { createScopedValues, type ScopedValues } from "../../store/scoped-values.ts";
import type { Journal, Store, StoredSession } from "../../store/store.ts";
import { fromSaved } from "../search/promotion-state.ts";
import { createSearchStores, type SearchStores } from "../search/search-stores.ts";
import { createProjectUsage } from "../search/stored-usage.ts";
import { readState, withSnapshots } from "./journal-snapshots.ts";

/** A session whose events are stored, and what they say of it so far. */
export interface SessionJournal {
  readonly id: string;
  /** What somebody should know of its store. */
  readonly notices: readonly Notice[];
  readonly recorder: Recorder;
  readonly questions: StoredQuestions;
  readonly values: ScopedValues;
  /** Where search keeps what it knows of tools: in the store, unless the store is this workspace's alone. */
  readonly searchStores: SearchStores;
  readonly state: JournalState;
  /** The events that its history and what is left open are made of. */
  readonly past: readonly KnownEvent[];
  /** Deletes old sessions once a day while this one is open, unless the program holds the store. */
  pruneDaily(keep: () => number): void;
  /** Before it is closed: what waits for somebody goes on waiting, and nothing that closing ends is stored. */
  suspend(): Promise<void>;
  /** A value that is kept by its hash. */
  loadPart(hash: string): Promise<string | null>;
  /** Everything that happened in it so far. */
  events(): Promise<readonly StoredEvent[]>;
  /** Ids of its questions that nobody has answered. */
  unanswered(): Promise<ReadonlySet<string>>;
  /** Waits for the answer of anybody else to a question; null where it was closed. */
  readonly answerTo: Store["answerTo"];
  /** False where somebody else was first. */
  answer(questionId: string, answer: unknown, by: string): Promise<boolean>;
}

export interface JournalPlace {
  readonly home: string;
  readonly workspace: string;
  readonly surroundings: Surroundings;
  /** Told what somebody should know of the store, such as that it could not be read and was put aside. */
  readonly onNotice?: (notice: Notice) => void;
}

/** A store by its address, or one that a program holds. */
type GivenStore = string | Store;

/** A new journal for a session. */
export async function openNewJournal(
  id: string,
  given: GivenStore,
  person: string,
  place: JournalPlace,
): Promise<SessionJournal> {
  const { store, close } = await reachStore(given, place);
  try {
    const owner = { person, project: place.workspace };
    const journal = await store.create({ id, ...owner });
    return await toSessionJournal({ store, journal, close, given }, [], EMPTY_STATE, owner, place);
  } catch (error) {
    await close();
    throw error;
  }
}

/** The journal of a session that nobody holds any more. */
export async function reopenJournal(id: string, given: GivenStore, place: JournalPlace): Promise<SessionJournal> {
  const { store, close } = await reachStore(given, place);
  try {
    const journal = await store.hold(id);
    const { state, events } = await readState(store, journal);
    if (state.readOnly !== null) {
      await journal.release();
      throw tooNew(id, state.readOnly.type);
    }
    const [owner = { person: "", project: place.workspace }] = await store.sessions({ id });
    return await toSessionJournal({ store, journal, close, given }, events.filter(isKnown), state, owner, place);
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens a store that is named, and closes it with the session; a store that a program opened stays open. */
export async function reachStore(
  given: GivenStore,
  { home, workspace, surroundings: { env }, onNotice }: JournalPlace,
): Promise<{ readonly store: Store; readonly close: () => Promise<void> }> {
  if (typeof given !== "string") return { store: given, close: async () => {} };
  const { openStoreAt } = await import("../../store/open-store.ts");
  const store = await openStoreAt(given, { home, env, workspace }, onNotice && { onNotice });
  return { store, close: store.close };
}

interface OpenedStore {
  readonly store: Store;
  readonly journal: Journal;
  readonly close: () => Promise<void>;
  readonly given: GivenStore;
}

async function toSessionJournal(
  { store, journal, close, given }: OpenedStore,
  past: readonly KnownEvent[],
  state: JournalState,
  owner: Pick<StoredSession, "person" | "project">,
  { home, surroundings }: JournalPlace,
): Promise<SessionJournal> {
  const [{ createRecorder }, { firstAnswer }, { pruneDaily }] = await Promise.all([
    import("../../store/recorder.ts"),
    import("../../store/first-answer.ts"),
    import("../../store/prune-daily.ts"),
  ]);
  const followed = createRecorder(journal, surroundings.clock, state.questions);
  const { recorder, isWaiting } = withSnapshots(followed, journal, state);
  const values = createScopedValues(store, owner);
  let closed: Promise<void> | null = null;
  let stopPruning = (): void => {};
  const closeOnce = (): Promise<void> => {
    stopPruning();
    closed ??= recorder.close().then(close);
    return closed;
  };
  return {
    id: journal.sessionId,
    notices: store.notices ?? [],
    past,
    state,
    values,
    searchStores: createSearchStores({ home, env: surroundings.env }, given === OWN_STORE ? null : values),
    recorder: { ...recorder, close: closeOnce },
    pruneDaily(keep) {
      const { project } = owner;
      if (typeof given === "string") stopPruning = pruneDaily(store, { keep, project, clock: surroundings.clock });
    },
    async suspend() {
      if (isWaiting()) await closeOnce();
    },
    questions: {
      askedBefore: findAskedBefore(state),
      async firstAnswer(requestId, handler, signal) {
        await recorder.stored();
        return firstAnswer(store, requestId, handler(), signal);
      },
    },
    loadPart: async (hash) => (await store.parts([hash])).get(hash) ?? null,
    async events() {
      await recorder.stored();
      return store.read(journal.sessionId);
    },
    unanswered: async () => new Set((await store.questions({ sessionId: journal.sessionId })).map(({ id }) => id)),
    async answerTo(requestId, signal) {
      await recorder.stored();
      return store.answerTo(requestId, signal);
    },
    answer: async (requestId, answer, by) => (await store.answer(requestId, answer, by)) !== "already_answered",
  };
}

/** What of a journal goes into the setting of its session. */
export function toStoredSetting(journal: SessionJournal) {
  const { id, state, searchStores, values } = journal;
  return {
    ...{ id, journal, searchStores },
    promoted: fromSaved(state.promotions),
    usage: { store: createProjectUsage(values), tenant: "" },
  };
}

/** That of an agent which works for another one: its events are its root's, and it begins with nothing of the root's. */
export function toChildJournal(journal: SessionJournal): SessionJournal {
  return { ...journal, notices: [], past: [], state: EMPTY_STATE, recorder: toChildRecorder(journal.recorder) };
}

/** A call that still waits keeps its question, and the answer to it counts (S4), unless it would be about something else. */
function findAskedBefore({ questions }: JournalState): StoredQuestions["askedBefore"] {
  const keyOf = (kind: QuestionKind, toolCallId: string | null): string => JSON.stringify([kind, toolCallId]);
  const open = new Map(
    [...questions].map(([id, { kind, toolCallId, about }]) => [keyOf(kind, toolCallId), { id, about }]),
  );
  return (kind, toolCallId, about) => {
    if (open.size === 0) return null;
    const key = keyOf(kind, toolCallId);
    const found = open.get(key);
    open.delete(key);
    return found !== undefined && found.about === about ? found.id : null;
  };
}

function tooNew(id: string, type: string): ToolcribError {
  const text = `session ${id} has an event of a newer Toolcrib that this one must not ignore (${type}); update Toolcrib to go on with it`;
  return new ToolcribError("store.too-new", text);
}
