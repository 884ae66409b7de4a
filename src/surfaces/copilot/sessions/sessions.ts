import { rm } from "node:fs/promises";
import type { SessionEvent } from "../../../core/events/envelope.ts";
import { DEFAULT_SECONDS } from "../../../runtime/hooks/function-hook.ts";
import { withTimeout } from "../../../system/time/with-timeout.ts";
import { stopAsking } from "../clients/ask-client.ts";
import { invokeHook } from "../clients/client-hooks.ts";
import { replay } from "../events/deliver.ts";
import { addToLog, cutLog } from "../events/event-log.ts";
import { toMetrics } from "../events/usage-metrics.ts";
import { noteUse, stopIdle, watchIdle } from "../state/idle-timer.ts";
import { finishWriting, restore, writeMarks } from "../state/kept-files.ts";
import type { RuntimeState } from "../state/live.ts";
import { type AttachedClient, type Live, tell, tellPassing } from "../state/live.ts";
import { noteSession, notesIn } from "../state/session-notes.ts";
import { filesOf, providedFolder, sessionStateFolder } from "../state/state-files.ts";
import { clashOf } from "../tools/client-tools.ts";
import { waitersOf } from "../turns/wait-for-turn.ts";
import type { ClientConnection } from "../wire/connection.ts";
import { refuseOptions } from "../wire/options.ts";
import { type Json, recordOf, recordsOf, stated, textOf } from "../wire/wire-values.ts";
import { COPILOT_BUILTINS, newLive, openSessionOf } from "./open-live.ts";
import { applyOptions } from "./servers.ts";

/** `session.create`. */
export function createLive(server: RuntimeState, connection: ClientConnection, params: Json): Promise<Json> {
  const id = textOf(params.sessionId) ?? server.around.newId();
  return inTurn(server, id, () => create(server, connection, id, params));
}

/** `session.resume`: joins a session that lives, or takes a stored one up again. */
export function resumeLive(server: RuntimeState, connection: ClientConnection, params: Json): Promise<Json> {
  const id = textOf(params.sessionId) ?? "";
  return inTurn(server, id, () => resume(server, connection, id, params));
}

/** `session.delete`: all of a session, attached or not. */
export function deleteLiveSession(server: RuntimeState, id: string): Promise<Json> {
  return inTurn(server, id, () => remove(server, id));
}

const opening = new WeakMap<RuntimeState, Map<string, Promise<unknown>>>();

/** Whoever opens or deletes a session waits for those who do so with the same one: two would take it from each other. */
async function inTurn<T>(server: RuntimeState, id: string, act: () => Promise<T>): Promise<T> {
  const turns = opening.get(server) ?? new Map<string, Promise<unknown>>();
  opening.set(server, turns);
  const done = (turns.get(id) ?? Promise.resolve()).then(act, act);
  turns.set(id, done);
  try {
    return await done;
  } finally {
    if (turns.get(id) === done) turns.delete(id);
  }
}

async function create(server: RuntimeState, connection: ClientConnection, id: string, params: Json): Promise<Json> {
  const clash = clashOf(recordsOf(params.tools), COPILOT_BUILTINS);
  if (clash !== null) throw new Error(clash);
  if (server.live.has(id)) throw new Error(`Session already exists: ${id}`);
  await checkToken(server, textOf(params.gitHubToken));
  const { sessionId: _, ...wire } = params;
  const live = newLive(server, id, wire);
  attach(live, connection, params);
  await openSessionOf(live, false);
  await writeMarks(live);
  server.live.set(id, live);
  watchIdle(live, () => endIdle(live));
  tellStart(live);
  announce(server, "session.created", live);
  return toOpened(live);
}

function tellStart(live: Live): void {
  const { id, server, model, effort, cwd } = live;
  const about = { sessionId: id, version: 1, producer: "toolcrib", copilotVersion: server.version };
  const startTime = new Date(live.startTime).toISOString();
  tell(
    live,
    "session.start",
    stated({ ...about, startTime, selectedModel: model, reasoningEffort: effort, context: { cwd } }),
  );
}

function toOpened(live: Live): Json {
  return {
    sessionId: live.id,
    workspacePath: filesOf(live).folder,
    capabilities: { ui: { elicitation: elicits(live) } },
  };
}

function elicits({ clients }: Live): boolean {
  return [...clients.values()].some(({ elicitation }) => elicitation);
}

async function resume(server: RuntimeState, connection: ClientConnection, id: string, params: Json): Promise<Json> {
  const clash = clashOf(recordsOf(params.tools), COPILOT_BUILTINS);
  if (clash !== null) throw new Error(clash);
  const { sessionId: _, continuePendingWork, disableResume, ...wire } = params;
  const found = await takeUp(server, id, continuePendingWork === true);
  const wasActive = found?.clients.size !== 0 && found !== null;
  const live = found ?? (await reopen(server, id, connection, wire, continuePendingWork === true));
  const before = { elicitation: elicits(live) };
  if (found !== null) await join(live, connection, wire);
  else attach(live, connection, wire);
  if (found === null) await applyOptions(live);
  if (disableResume !== true)
    tell(live, "session.resume", {
      resumeTime: new Date().toISOString(),
      eventCount: live.log.length,
      continuePendingWork: continuePendingWork === true,
      sessionWasActive: wasActive,
    });
  if (elicits(live) !== before.elicitation)
    tellPassing(live, "capabilities.changed", { ui: { elicitation: elicits(live) } });
  if (recordsOf(params.commands).length > 0) tellPassing(live, "commands.changed", { commands: commandsOf(live) });
  return toOpened(live);
}

/** The session of that id that lives. One that only waits for an answer is given up, unless its work goes on. */
async function takeUp(server: RuntimeState, id: string, goesOn: boolean): Promise<Live | null> {
  const live = server.live.get(id);
  if (live === undefined) return null;
  if (live.closing !== null) await live.closing;
  else if (live.clients.size > 0 || goesOn) return live;
  else await closeLive(live);
  return null;
}

/** A stored session is opened anew; what waited for an answer is given up, unless its work goes on. */
async function reopen(
  server: RuntimeState,
  id: string,
  connection: ClientConnection,
  wire: Json,
  goesOn: boolean,
): Promise<Live> {
  const store = await server.store();
  const note = recordOf(await notesIn(store).get(id));
  const isRestored = note.sessionId === undefined && (await restore(newLive(server, id, wire), store));
  if (note.sessionId === undefined && !isRestored) throw new Error(`Session not found: ${id}`);
  await checkToken(server, textOf(wire.gitHubToken));
  const kept = stated({
    model: note.model,
    agent: note.agent,
    workingDirectory: recordOf(note.context).cwd,
    name: note.name,
  });
  const live = newLive(server, id, { ...kept, ...wire }, isRestored ? Date.now() : Date.parse(String(note.startTime)));
  attach(live, connection, wire);
  live.mode = textOf(note.mode) ?? "interactive";
  live.hasTurn = true;
  live.facts.set("resumed", true);
  await openSessionOf(live, true, !goesOn);
  await remember(live);
  server.live.set(id, live);
  watchIdle(live, () => endIdle(live));
  return live;
}

/** All that was said before, and how its opening ended what was left open. */
async function remember(live: Live): Promise<void> {
  await live.session.stored();
  const events = await (await live.server.store()).read(live.id);
  const since = cutLog(live, 0);
  replay(events as unknown as SessionEvent[], live); // Unknown types are skipped.
  const known = new Set(live.log.map(({ id }) => id));
  for (const event of since) if (!known.has(event.id)) addToLog(live, event);
}

/** A client more, with options that replace those of before. */
async function join(live: Live, connection: ClientConnection, wire: Json): Promise<void> {
  if (wire.agent !== undefined) live.agent = textOf(wire.agent) ?? null;
  attach(live, connection, wire);
  await changeOptions(live, wire);
}

/** Takes over options that replace those of before. Some hold for as long as a session is open, so it is opened anew. */
export async function changeOptions(live: Live, changes: Json): Promise<void> {
  const before = live.wire;
  live.wire = { ...before, ...changes };
  try {
    refuseOptions(live);
  } catch (error) {
    live.wire = before;
    throw error;
  }
  live.model = textOf(changes.model) ?? live.model;
  live.effort = textOf(changes.reasoningEffort) ?? live.effort;
  const cwd = textOf(changes.workingDirectory) ?? live.cwd;
  const isOther = FIXED.some((name) => JSON.stringify(before[name]) !== JSON.stringify(live.wire[name]));
  if (cwd !== live.cwd || isOther) await moveTo(live, cwd);
  else await applyOptions(live);
}

const FIXED = ["sandboxConfig", "largeOutput", "hookDirectories"];

/** Another working directory is another workspace: the session is opened anew on its journal. */
export async function moveTo(live: Live, cwd: string): Promise<void> {
  await live.idle;
  await live.session.close();
  live.cwd = cwd;
  await openSessionOf(live, true);
}

function attach(live: Live, connection: ClientConnection, params: Json): void {
  const earlier = live.clients.get(connection);
  const client: AttachedClient = {
    connection,
    tools: params.tools === undefined ? (earlier?.tools ?? []) : recordsOf(params.tools),
    commands: params.commands === undefined ? (earlier?.commands ?? []) : recordsOf(params.commands),
    hooks: params.hooks === true,
    userInput: params.requestUserInput === true,
    elicitation: params.requestElicitation === true,
    exitPlan: params.requestExitPlanMode === true,
    autoSwitch: params.requestAutoModeSwitch === true,
    skills: params.hasSkillProvider === true,
    decides: params.requestPermission !== false,
    permissions: earlier?.permissions ?? true,
  };
  live.clients.set(connection, client);
}

export function commandsOf(live: Live): readonly Json[] {
  return [...live.clients.values()].flatMap(({ commands }) =>
    commands.map(({ name, description }) => stated({ name, description })),
  );
}

/** A client leaves: its tools go with it, and with the last one the session leaves memory. */
export async function detach(live: Live, connection: ClientConnection): Promise<void> {
  const client = live.clients.get(connection);
  if (client === undefined) return;
  if (live.clients.size === 1) {
    // Asked while its client can still be reached.
    if (live.isStarted && !isWaiting(live)) await tellEnd(live);
    live.clients.delete(connection);
    stopAsking(live, connection);
    if (!isWaiting(live)) await closeLive(live);
    return;
  }
  const had = elicits(live);
  live.clients.delete(connection);
  stopAsking(live, connection);
  const left = new Set([...live.clients.values()].flatMap(({ tools }) => tools.map(({ name }) => String(name))));
  for (const { name } of client.tools) if (!left.has(String(name))) live.goneTools.add(String(name));
  if (had && !elicits(live)) tellPassing(live, "capabilities.changed", { ui: { elicitation: false } });
  if (live.closing === null) await applyOptions(live);
}

/** A client may take as long over this as over any hook of a call; then it is let go. */
function tellEnd(live: Live): Promise<Json> {
  const { clock } = live.server.around;
  return withTimeout(clock, DEFAULT_SECONDS * 1_000, live.server.over, (signal) =>
    invokeHook(live, "sessionEnd", { reason: "complete" }, undefined, signal),
  );
}

/** Something that a client can still answer when it comes back. */
function isWaiting({ calls, questions }: Live): boolean {
  return calls.size > 0 || [...questions.values()].some(({ kind }) => kind === "permission");
}

/** Nobody has used it for long. Work that somebody waits for goes on. */
function endIdle(live: Live): void {
  if (live.running && live.clients.size > 0) {
    noteUse(live);
    return;
  }
  const { note } = live.server;
  note(`session ${live.id} ends: nobody has used it`, "debug");
  const ending = live.isStarted && live.clients.size > 0 ? tellEnd(live) : Promise.resolve();
  ending
    .then(() => shutDown(live, "routine"))
    .catch((error: unknown) => note(`ending an idle session: ${error}`, "error"));
}

/** Tells clients that the session ends, and ends it. */
export async function shutDown(live: Live, shutdownType: string, errorReason?: string): Promise<void> {
  tell(live, "session.shutdown", {
    ...stated({ shutdownType, errorReason }),
    ...toMetrics(live),
    // A number here, and a text in the same figures elsewhere.
    sessionStartTime: live.startTime,
  });
  await live.session.stored();
  await closeLive(live);
}

/** Ends what runs and lets the session leave memory; what is worth keeping is stored. */
export async function closeLive(live: Live): Promise<void> {
  live.closing ??= (async () => {
    live.queue.length = 0;
    stopIdle(live);
    stopAsking(live);
    await noteSession(live).catch(() => {});
    await live.session.close();
    await finishWriting(live);
    await rm(providedFolder(live), { recursive: true, force: true });
    live.server.live.delete(live.id);
    for (const wake of [...waitersOf(live)]) wake();
    live.server.onlooker?.closed(live.id);
    if (!live.hasTurn && !live.isSaved) await (await live.server.store()).delete(live.id).catch(() => false);
  })();
  await live.closing;
}

async function remove(server: RuntimeState, id: string): Promise<Json> {
  const live = server.live.get(id);
  const store = await server.store();
  const isNoted = (await notesIn(store).get(id)) !== undefined;
  if (live === undefined && !isNoted) return { success: false, error: `Session file not found for ${id}` };
  if (live !== undefined) await closeLive(live);
  await notesIn(store).change(id, () => undefined);
  await store.delete(id);
  await rm(sessionStateFolder({ server, id }), { recursive: true, force: true });
  for (const connection of server.connections)
    connection.notify("session.lifecycle", { type: "session.deleted", sessionId: id });
  return { success: true };
}

export function announce(server: RuntimeState, type: string, live: Live): void {
  const metadata = {
    startTime: new Date(live.startTime).toISOString(),
    modifiedTime: new Date().toISOString(),
    ...stated({ summary: live.name ?? undefined }),
  };
  for (const connection of server.connections)
    connection.notify("session.lifecycle", { type, sessionId: live.id, metadata });
}

/** A token that a session brings is shown to the service once, where there is one. */
export async function checkToken(server: RuntimeState, token: string | undefined): Promise<void> {
  const base = server.around.env.COPILOT_API_URL;
  if (token === undefined || base === undefined || base === "") return;
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${base.replace(/\/+$/, "")}/copilot_internal/user`, { headers }).catch(() => null);
  if (response?.status === 401) throw new Error("401 Unauthorized: the GitHub token was refused");
}
