import type { KeyValues, Store } from "../../../runtime/store/store.ts";
import { dropUndefined, type Json, recordOf, textOf } from "../wire/wire-values.ts";
import type { EventLog } from "./event-log.ts";
import type { SessionCore } from "./session-core.ts";

/** What lists say of sessions, beside the journals: one small note for each. */
export function notesIn(store: Store): KeyValues {
  return store.keyValues({ name: "copilot-sessions", person: "", project: "" });
}

/** What of a session lists and a later process need. */
interface Noted {
  readonly core: SessionCore;
  readonly events: EventLog;
  readonly models: { readonly model: string | undefined };
  readonly agents: { readonly selected: string | null };
}

/** Stores what lists say of a session; a session without a message is in none. */
export async function noteSession({ core, events, models, agents }: Noted): Promise<void> {
  if (!core.isListed) return;
  const first = events.log.find(({ type }) => type === "user.message");
  const note = dropUndefined({
    sessionId: core.id,
    startTime: new Date(core.startTime).toISOString(),
    modifiedTime: new Date().toISOString(),
    isRemote: false,
    summary: core.name ?? textOf(first?.data.content)?.slice(0, 200),
    name: core.name ?? undefined,
    context: { cwd: core.cwd },
    model: models.model,
    mode: core.mode,
    agent: agents.selected ?? undefined,
  });
  await notesIn(await core.server.store()).change(core.id, () => note);
}

/** The notes of all sessions that a filter lets through, the newest first. */
export async function listNotes(store: Store, filter: Json = {}): Promise<readonly Json[]> {
  const all = [...(await notesIn(store).entries()).values()].map(recordOf);
  const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
  const fits = (note: Json): boolean => wanted.every(([key, value]) => recordOf(note.context)[key] === value);
  return all.filter(fits).sort((one, other) => String(other.modifiedTime).localeCompare(String(one.modifiedTime)));
}
