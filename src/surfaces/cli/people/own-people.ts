import type { Config } from "../../../config/config.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { PeopleNote, PeoplePlace, PersonRow } from "../../../runtime/people/contract.ts";
import { type AllPeople, createPeopleRows } from "../../../runtime/people/people-rows.ts";
import { peopleScope } from "../../../runtime/people/people-scope.ts";
import type { CommandInput } from "../command-line/command.ts";
import { findWorkspaceStore, hasStore, openWorkspaceStore, type WorkspaceStore } from "../stored/own-store.ts";

/** What the store of this workspace's gateway knows about people. */
interface OwnPeople {
  readonly rows: AllPeople;
  readonly place: PeoplePlace;
  readonly config: Config;
}

/** Opens it, and the log that says who changed what, for as long as the work takes. Throws where nobody logs in. */
export async function changePeople<T>(
  input: CommandInput,
  work: (people: OwnPeople, note: (note: PeopleNote) => void) => Promise<T>,
): Promise<T> {
  const kept = await findWorkspaceStore(input);
  const scope = scopeOf(kept);
  const { openPeopleLog } = await import("./people-log.ts");
  const audit = await openPeopleLog(input, kept);
  try {
    return await openPeople(kept, scope, (people) => work(people, audit?.note ?? (() => {})));
  } finally {
    await audit?.close();
  }
}

/** Everybody who has come in, and the configuration; a store that is not there yet is not made for this. */
export async function listPeople(
  input: CommandInput,
): Promise<{ readonly people: readonly PersonRow[]; readonly config: Config }> {
  return readPeople(input, async (own, config) => ({ people: (await own?.rows.list()) ?? [], config }));
}

/** Opens it for as long as the work takes, which changes nothing; null if there is none yet. */
export async function readPeople<T>(
  input: CommandInput,
  work: (people: OwnPeople | null, config: Config) => Promise<T>,
): Promise<T> {
  const kept = await findWorkspaceStore(input);
  const scope = scopeOf(kept);
  const { config } = kept;
  return hasStore(kept) ? openPeople(kept, scope, (own) => work(own, config)) : work(null, config);
}

async function openPeople<T>(kept: WorkspaceStore, scope: string, work: (people: OwnPeople) => Promise<T>): Promise<T> {
  const { store, close } = await openWorkspaceStore(kept);
  const place = { store, scope };
  const rows = createPeopleRows(place);
  try {
    return await work({ rows, place, config: kept.config });
  } finally {
    rows.close();
    await close();
  }
}

function scopeOf({ config }: WorkspaceStore): string {
  const scope = peopleScope(config);
  if (scope !== null) return scope;
  const text = "nobody logs in here: gateway.auth is not set, so static tokens alone open the gateway";
  throw new ToolcribError("people.off", text);
}
