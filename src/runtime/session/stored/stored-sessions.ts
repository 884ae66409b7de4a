import { resolve } from "node:path";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { ownSurroundings } from "../../../system/surroundings.ts";
import type { SessionFilter, Store, StoredSession } from "../../store/store.ts";
import { type ForkPoint, forkStored } from "./fork-session.ts";
import { type JournalPlace, reachStore } from "./session-journal.ts";

interface StoredSessionsOptions {
  /** Where they are stored. */
  readonly store: string | Store;
  /** The folder whose sessions `sqlite:` holds; the current one if absent. */
  readonly workspace?: string;
  /** Gets notices about the store that is opened, such as that a damaged file was put aside. */
  readonly onNotice?: (notice: Notice) => void;
}

/**
 * Opens a store that several sessions share: `sqlite:` for a file of this person and workspace, `sqlite:PATH`,
 * `postgres://…` or `memory:`. Close it after them.
 */
export async function openStore(url: string, options: Omit<StoredSessionsOptions, "store"> = {}): Promise<Store> {
  return (await reachStore(url, ownPlace(options))).store;
}

/** The sessions in a store, most recently changed first. */
export function listSessions(options: StoredSessionsOptions & SessionFilter): Promise<readonly StoredSession[]> {
  const { store: _, workspace: __, onNotice: ___, ...filter } = options;
  return withStore(options, (store) => store.sessions(filter));
}

/** Deletes a session; refused while a process holds it. False if there is no session with that id. */
export function deleteSession(sessionId: string, options: StoredSessionsOptions): Promise<boolean> {
  return withStore(options, (store) => store.delete(sessionId));
}

/** Copies a session up to an event into a new one, which `resumeSession` can continue; returns its id. */
export function forkSession(sessionId: string, options: StoredSessionsOptions & ForkPoint): Promise<string> {
  return withStore(options, (store) => forkStored(store, sessionId, options));
}

async function withStore<T>(options: StoredSessionsOptions, work: (store: Store) => Promise<T>): Promise<T> {
  const { store, close } = await reachStore(options.store, ownPlace(options));
  try {
    return await work(store);
  } finally {
    await close();
  }
}

function ownPlace({ workspace = ".", onNotice }: Omit<StoredSessionsOptions, "store">): JournalPlace {
  const surroundings = ownSurroundings();
  return {
    ...{ home: homeFolder(surroundings.env), workspace: resolve(surroundings.cwd, workspace), surroundings },
    ...(onNotice === undefined ? {} : { onNotice }),
  };
}
