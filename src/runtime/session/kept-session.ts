import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { KnownEvent } from "../../core/events/envelope.ts";
import { foldJournal, isKnown } from "../../core/events/fold-journal.ts";
import { EMPTY_STATE, type JournalState } from "../../core/events/journal-state.ts";
import type { StoredOptions } from "../../core/events/state-events.ts";
import type { Recorder } from "../store/recorder.ts";
import type { Journal, Store } from "../store/store.ts";
import type { SessionOptions } from "./session-options.ts";
import type { SessionSetting } from "./setting.ts";
import type { Surroundings } from "./surroundings.ts";

/** A session whose events are stored, and what they say of it so far. */
export interface KeptSession extends Required<Pick<SessionSetting, "id" | "firstAnswer">> {
  readonly recorder: Recorder;
  readonly state: JournalState;
  readonly past: readonly KnownEvent[];
}

export interface KeptPlace {
  readonly home: string;
  readonly workspace: string;
  readonly surroundings: Surroundings;
}

export type GivenStore = NonNullable<SessionOptions["store"]>;

/** A new journal for a session. */
export async function keepNew(id: string, given: GivenStore, person: string, place: KeptPlace): Promise<KeptSession> {
  const { store, close } = await reachStore(given, place);
  try {
    const journal = await store.create({ id, person, project: place.workspace });
    return await toKept(store, journal, close, [], EMPTY_STATE, place);
  } catch (error) {
    await close();
    throw error;
  }
}

/** The journal of a session that nobody holds any more. */
export async function keepAgain(id: string, given: GivenStore, place: KeptPlace): Promise<KeptSession> {
  const { store, close } = await reachStore(given, place);
  try {
    const journal = await store.hold(id);
    const events = await store.read(id);
    const state = foldJournal(events);
    if (state.readOnly !== null) {
      await journal.release();
      throw tooNew(id, state.readOnly.type);
    }
    return await toKept(store, journal, close, events.filter(isKnown), state, place);
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens a store that is named, and closes it with whoever asked; one that a program holds stays the program's. */
export async function reachStore(
  given: GivenStore,
  { home, workspace, surroundings: { env } }: KeptPlace,
): Promise<{ readonly store: Store; readonly close: () => Promise<void> }> {
  if (typeof given !== "string") return { store: given, close: async () => {} };
  const { openStoreAt } = await import("../store/open-store.ts");
  const store = await openStoreAt(given, { home, env, workspace });
  return { store, close: store.close };
}

async function toKept(
  store: Store,
  journal: Journal,
  close: () => Promise<void>,
  past: readonly KnownEvent[],
  state: JournalState,
  { surroundings }: KeptPlace,
): Promise<KeptSession> {
  const [{ createRecorder }, { firstAnswer }] = await Promise.all([
    import("../store/recorder.ts"),
    import("../store/first-answer.ts"),
  ]);
  const recorder = createRecorder(journal, surroundings.clock);
  return {
    id: journal.sessionId,
    past,
    state,
    recorder: {
      ...recorder,
      async close() {
        await recorder.close();
        await close();
      },
    },
    async firstAnswer(requestId, handler, signal) {
      await recorder.stored();
      return firstAnswer(store, requestId, handler(), signal);
    },
  };
}

/** Options that a journal keeps. What holds code, credentials or a policy is given anew by whoever resumes. */
const STORED = [
  "model",
  "agent",
  "mode",
  "availableTools",
  "excludedTools",
  "toolGroups",
  "filterPrecedence",
  "disabledSkills",
  "reasoningEffort",
  "systemPrompt",
] as const satisfies readonly (keyof SessionOptions)[];

export function toStoredOptions(options: SessionOptions): StoredOptions {
  const given = STORED.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[name] ?? null]));
}

/** Read without trust: only what a journal of ours holds. */
export function fromStoredOptions(stored: StoredOptions): SessionOptions {
  return Object.fromEntries(STORED.filter((name) => Object.hasOwn(stored, name)).map((name) => [name, stored[name]]));
}

function tooNew(id: string, type: string): ToolcribError {
  const text = `session ${id} has an event of a newer Toolcrib that this one must not ignore (${type}); update Toolcrib to go on with it`;
  return new ToolcribError("store.too-new", text);
}
