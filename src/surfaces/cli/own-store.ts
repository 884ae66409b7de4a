import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type KeptPlace, reachStore } from "../../runtime/session/kept-session.ts";
import { ownSurroundings } from "../../runtime/session/surroundings.ts";
import type { Store, StoredSession } from "../../runtime/store/store.ts";
import type { CommandInput } from "./command.ts";
import { findWorkspace } from "./running/find-running.ts";
import { placesOf } from "./running/work-place.ts";

/** The person's own file for the workspace, in the state folder. */
export const OWN_STORE = "sqlite:";

export async function findKeptPlace({ io }: Pick<CommandInput, "io">): Promise<KeptPlace> {
  const surroundings = { ...ownSurroundings(), env: io.env, cwd: io.cwd };
  return { home: placesOf(io).home, workspace: await findWorkspace({ io }), surroundings };
}

export async function withOwnStore<T>(input: Pick<CommandInput, "io">, work: (store: Store) => Promise<T>): Promise<T> {
  const { store, close } = await reachStore(OWN_STORE, await findKeptPlace(input));
  try {
    return await work(store);
  } finally {
    await close();
  }
}

/** The session of that id, or whose id alone begins so; null: the one that changed last. */
export async function findStored(store: Store, named: string | null): Promise<StoredSession> {
  const all = await store.sessions(named === null ? { limit: 1 } : {});
  const fitting = all.filter(({ id }) => named === null || (named !== "" && id.startsWith(named)));
  const found = fitting.find(({ id }) => id === named) ?? (fitting.length === 1 ? fitting[0] : undefined);
  if (found !== undefined) return found;
  throw new ToolcribError("store.unknown-session", describeMiss(named, fitting.length), {
    names: fitting.map(({ id }) => id),
  });
}

function describeMiss(named: string | null, fitting: number): string {
  if (named === null) return 'no session of this workspace is kept; "toolcrib run --keep" keeps one';
  if (fitting > 1) return `${fitting} sessions begin with ${JSON.stringify(named)}; write more of the id`;
  return `no session of this workspace has the id ${JSON.stringify(named)}`;
}
