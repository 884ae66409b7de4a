import type { KeyValues, Store } from "../../../runtime/store/store.ts";
import { type Json, recordOf, stated, textOf } from "../wire/wire-values.ts";
import type { Live } from "./live.ts";

/** What lists say of sessions, beside the journals: one small note for each. */
export function notesIn(store: Store): KeyValues {
  return store.keyValues({ name: "copilot-sessions", person: "", project: "" });
}

/** Keeps what lists say of a session; a session without a message is in none. */
export async function noteSession(live: Live): Promise<void> {
  if (!live.hasTurn && !live.isSaved) return;
  const first = live.log.find(({ type }) => type === "user.message");
  const note = stated({
    sessionId: live.id,
    startTime: new Date(live.startTime).toISOString(),
    modifiedTime: new Date().toISOString(),
    isRemote: false,
    summary: live.name ?? textOf(first?.data.content)?.slice(0, 200),
    name: live.name ?? undefined,
    context: { cwd: live.cwd },
    model: live.model,
    mode: live.mode,
    agent: live.agent ?? undefined,
  });
  await notesIn(await live.server.store()).change(live.id, () => note);
}

/** The notes of all sessions that a filter lets through, the newest first. */
export async function listNotes(store: Store, filter: Json = {}): Promise<readonly Json[]> {
  const all = [...(await notesIn(store).entries()).values()].map(recordOf);
  const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
  const fits = (note: Json): boolean => wanted.every(([key, value]) => recordOf(note.context)[key] === value);
  return all.filter(fits).sort((one, other) => String(other.modifiedTime).localeCompare(String(one.modifiedTime)));
}
