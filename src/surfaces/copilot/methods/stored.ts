import type { StoredEvent } from "../../../core/events/envelope.ts";
import { forkSession } from "../../../runtime/session/stored/stored-sessions.ts";
import type { Store } from "../../../runtime/store/store.ts";
import { closeLive, deleteLiveSession } from "../sessions/sessions.ts";
import { listNotes, noteSession, notesIn } from "../state/session-notes.ts";
import { type Json, recordOf, recordsOf, textOf, textsOf } from "../wire/wire-values.ts";
import { type Asked, after, findSession, type Method } from "./method.ts";

/** Sessions as they are stored. */
export const STORED_METHODS: Readonly<Record<string, Method>> = {
  "sessions.fork": ({ server, params }) => fork(server, params),
  "sessions.save": async (asked) => {
    const live = findSession(asked);
    live.core.isListed = true;
    await live.core.session.stored();
    return after(noteSession(live), {});
  },
  "sessions.connect": ({ params }) => {
    throw new Error(`there is no remote session ${String(params.sessionId)}: nothing is connected to other machines`);
  },
  "sessions.close": async ({ server, params }) => {
    const live = server.live.get(String(params.sessionId));
    if (live !== undefined) await closeLive(server, live);
    return {};
  },
  "sessions.list": async ({ server, params }) => ({
    sessions: await listNotes(await server.store(), recordOf(params.filter)),
  }),
  "sessions.findByPrefix": async ({ server, params }) => {
    const prefix = textOf(params.prefix) ?? "";
    const found = (await listNotes(await server.store())).filter(({ sessionId }) =>
      String(sessionId).startsWith(prefix),
    );
    return prefix !== "" && found.length === 1 ? { sessionId: found[0]?.sessionId } : {};
  },
  "sessions.findByTaskId": () => ({}),
  "sessions.getLastForContext": async ({ server, params }) => {
    const [last] = await listNotes(await server.store(), { cwd: recordOf(params.context).cwd });
    return last === undefined ? {} : { sessionId: last.sessionId };
  },
  "sessions.getSizes": async ({ server }) => {
    const store = await server.store();
    const sizes = (await store.sessions()).map(async ({ id }) => [id, await sizeOf(store, id)] as const);
    return { sizes: Object.fromEntries(await Promise.all(sizes)) };
  },
  "sessions.checkInUse": ({ server, params }) => ({
    inUse: textsOf(params.sessionIds).filter((id) => server.live.has(id)),
  }),
  "sessions.releaseLock": () => ({}),
  "sessions.enrichMetadata": async ({ server, params }) => {
    const known = new Map((await listNotes(await server.store())).map((note) => [note.sessionId, note]));
    return { sessions: recordsOf(params.sessions).map((given) => ({ ...known.get(given.sessionId), ...given })) };
  },
  "sessions.pruneOld": async ({ server, params }) => prune(server, params),
  "sessions.bulkDelete": async ({ server, params }) => {
    const freed = await Promise.all(
      textsOf(params.sessionIds).map(async (id) => {
        const size = await sizeOf(await server.store(), id);
        const { success } = await deleteLiveSession(server, id);
        return [id, success === true ? size : 0] as const;
      }),
    );
    return { freedBytes: Object.fromEntries(freed) };
  },
  "sessions.setAdditionalPlugins": () => ({}),
  "sessions.reloadPluginHooks": () => ({}),
  "sessions.loadDeferredRepoHooks": () => ({ startupPrompts: [], hookCount: 0 }),
  "sessions.open": async ({ server, params }) => {
    const [last] = params.kind === "resumeLast" ? await listNotes(await server.store()) : [];
    return last === undefined ? { status: "not_found" } : { status: "found", sessionId: last.sessionId };
  },
};

/** Bytes of what is stored of a session. */
async function sizeOf(store: Store, id: string): Promise<number> {
  const events = await store.read(id).catch((): readonly StoredEvent[] => []);
  return events.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)), 0);
}

async function prune(server: Asked["server"], { olderThanDays, dryRun, excludeSessionIds }: Json): Promise<Json> {
  const days = typeof olderThanDays === "number" ? olderThanDays : 30;
  const spared = new Set(textsOf(excludeSessionIds));
  const before = Date.now() - days * 86_400_000;
  const old = (await listNotes(await server.store())).filter(
    ({ sessionId, modifiedTime }) =>
      Date.parse(String(modifiedTime)) < before &&
      !spared.has(String(sessionId)) &&
      !server.live.has(String(sessionId)),
  );
  const candidates = old.map(({ sessionId }) => String(sessionId));
  let freedBytes = 0;
  const store = await server.store();
  for (const id of candidates) {
    freedBytes += await sizeOf(store, id);
    if (dryRun !== true) await deleteLiveSession(server, id);
  }
  const isDry = dryRun === true;
  return { dryRun: isDry, candidates, deleted: isDry ? [] : candidates, freedBytes, skipped: [] };
}

/** A copy of a session under another id, up to an event and without it. */
async function fork(server: Asked["server"], { sessionId, toEventId }: Json): Promise<Json> {
  const id = String(sessionId);
  const store = await server.store();
  await server.live.get(id)?.core.session.stored();
  const events = await store.read(id).catch((): readonly StoredEvent[] => []);
  const note = recordOf(await notesIn(store).get(id));
  if (note.sessionId === undefined) throw new Error(`Session ${id} not found or has no persisted events`);
  const at = toEventId === undefined ? undefined : events.find((event) => event.id === toEventId)?.seq;
  if (toEventId !== undefined && at === undefined)
    throw new Error(`Event ID not found: event ${String(toEventId)} not found`);
  const point = at === undefined ? {} : { at: at - 1 };
  const copy = await forkSession(id, { store, sessionId: server.around.newId(), ...point });
  const now = new Date().toISOString();
  await notesIn(store).change(copy, () => ({ ...note, sessionId: copy, startTime: now, modifiedTime: now }));
  return { sessionId: copy };
}
