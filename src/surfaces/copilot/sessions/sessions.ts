import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { SessionEvent } from "../../../core/events/envelope.ts";
import { DEFAULT_SECONDS } from "../../../runtime/hooks/function-hook.ts";
import type { Timer } from "../../../system/time/clock.ts";
import { withTimeout } from "../../../system/time/with-timeout.ts";
import { replay } from "../events/deliver.ts";
import { toMetrics } from "../events/session-figures.ts";
import { knownModel } from "../models/model-state.ts";
import { checkToken } from "../models/service.ts";
import { finishWriting, restore, writeMarks } from "../state/client-journal.ts";
import { addToLog, cutLog } from "../state/event-log.ts";
import { emit, emitPassing, invokeHook, newCore, type SessionCore, stopAsking } from "../state/session-core.ts";
import { filesOf, providedFolder, sessionStateFolder } from "../state/session-files.ts";
import { noteSession, notesIn } from "../state/session-notes.ts";
import { checkTools } from "../tools/client-tools.ts";
import type { ClientConnection } from "../wire/client-connection.ts";
import { readOptions, refuseOptions } from "../wire/client-options.ts";
import { dropNull, dropUndefined, type Json, recordOf, recordsOf, textOf } from "../wire/wire-values.ts";
import { type ClientSession, newParts, type Runtime } from "./client-session.ts";
import { openClientSession, reopenSession } from "./open-session.ts";
import { applyOptions } from "./session-options.ts";

/** `session.create`. */
export function createLive(server: Runtime, connection: ClientConnection, params: Json): Promise<Json> {
  const id = textOf(params.sessionId) ?? server.around.newId();
  return inTurn(server, id, () => create(server, connection, id, dropNull(params)));
}

/** `session.resume`: joins a session that lives, or goes on with a stored one. */
export async function resumeLive(server: Runtime, connection: ClientConnection, params: Json): Promise<Json> {
  const id = textOf(params.sessionId) ?? "";
  // A client that went before this one asked is noticed first: the end of its connection may be read behind the request.
  await new Promise(setImmediate);
  return inTurn(server, id, () => resume(server, connection, id, dropNull(params)));
}

/** `session.delete`: all of a session, attached or not. */
export function deleteLiveSession(server: Runtime, id: string): Promise<Json> {
  return inTurn(server, id, () => remove(server, id));
}

/** Clients that open, leave or delete the same session wait for each other: two would take it from each other. */
async function inTurn<T>({ opening }: Runtime, id: string, act: () => Promise<T>): Promise<T> {
  const done = (opening.get(id) ?? Promise.resolve()).then(act, act);
  opening.set(id, done);
  try {
    return await done;
  } finally {
    if (opening.get(id) === done) opening.delete(id);
  }
}

function toCore(server: Runtime, id: string, given: Json, startTime = Date.now()): SessionCore {
  const { workingDirectory = "." } = readOptions(given);
  return newCore(server, id, given, resolve(server.around.cwd, workingDirectory), startTime);
}

/** The session can be found from now on, and ends once nobody has used it for long. */
function enlist(server: Runtime, live: ClientSession): void {
  const { core } = live;
  const { idleTimeout } = server;
  const { clock } = server.around;
  server.live.set(core.id, live);
  if (idleTimeout === null) return;
  let timer: Timer = null;
  core.noteUse = () => {
    clock.clearTimeout(timer);
    if (core.closing === null) timer = clock.setTimeout(() => endIdle(server, live), idleTimeout);
  };
  core.noteUse();
}

async function create(server: Runtime, connection: ClientConnection, id: string, params: Json): Promise<Json> {
  const { sessionId: _, ...given } = params;
  const core = toCore(server, id, given);
  const { gitHubToken, reasoningEffort } = core.options;
  checkTools(core.options.tools);
  if (server.live.has(id)) throw new Error(`Session already exists: ${id}`);
  await checkToken(server, gitHubToken);
  attach(core, connection, given);
  const live = await openClientSession(newParts(core, false), null);
  await writeMarks(core, core.cwd);
  enlist(server, live);
  const startTime = new Date(core.startTime).toISOString();
  const about = { sessionId: id, version: 1, producer: "toolcrib", copilotVersion: server.version, startTime };
  const { model: selectedModel } = live.models;
  emit(core, "session.start", dropUndefined({ ...about, selectedModel, reasoningEffort, context: { cwd: core.cwd } }));
  announce("session.created", live);
  return toOpened(core);
}

function toOpened(core: SessionCore): Json {
  return {
    sessionId: core.id,
    workspacePath: filesOf(core).folder,
    capabilities: { ui: { elicitation: elicits(core) } },
  };
}

function elicits({ clients }: SessionCore): boolean {
  return [...clients.values()].some(({ elicitation }) => elicitation);
}

async function resume(server: Runtime, connection: ClientConnection, id: string, params: Json): Promise<Json> {
  const { sessionId: _, continuePendingWork, disableResume, ...given } = params;
  checkTools(readOptions(given).tools);
  const goesOn = continuePendingWork === true;
  const found = await takeUp(server, id, goesOn);
  const sessionWasActive = found !== null && found.core.clients.size !== 0;
  const live = found ?? (await reopen(server, id, connection, given, goesOn));
  const { core, events } = live;
  const had = elicits(core);
  attach(core, connection, given);
  if (found === null) await applyOptions(live);
  else {
    await changeOptions(live, given);
  }
  if (disableResume !== true)
    emit(core, "session.resume", {
      resumeTime: new Date().toISOString(),
      eventCount: events.log.length,
      ...{ continuePendingWork: goesOn, sessionWasActive },
    });
  if (elicits(core) !== had) emitPassing(core, "capabilities.changed", { ui: { elicitation: elicits(core) } });
  if (recordsOf(given.commands).length > 0) emitPassing(core, "commands.changed", { commands: commandsOf(core) });
  return toOpened(core);
}

/** The session of that id that lives. One that only waits for an answer is given up, unless its work goes on. */
async function takeUp(server: Runtime, id: string, goesOn: boolean): Promise<ClientSession | null> {
  const live = server.live.get(id);
  if (live === undefined) return null;
  if (live.core.closing !== null) await live.core.closing;
  else if (live.core.clients.size > 0 || goesOn) return live;
  else await closeLive(server, live);
  return null;
}

/** A stored session is opened again; what waited for an answer is given up, unless its work goes on. */
async function reopen(
  server: Runtime,
  id: string,
  connection: ClientConnection,
  given: Json,
  goesOn: boolean,
): Promise<ClientSession> {
  const store = await server.store();
  const note = recordOf(await notesIn(store).get(id));
  const isNoted = note.sessionId !== undefined;
  if (!isNoted && !(await restore({ server, id }, toCore(server, id, given).cwd, store)))
    throw new Error(`Session not found: ${id}`);
  await checkToken(server, textOf(given.gitHubToken));
  const { model, agent, name, context } = note;
  const stored = dropUndefined({ model, agent, workingDirectory: recordOf(context).cwd, name });
  const startTime = isNoted ? Date.parse(String(note.startTime)) : Date.now();
  const core = toCore(server, id, { ...stored, ...given }, startTime);
  attach(core, connection, given);
  core.mode = textOf(note.mode) ?? "interactive";
  core.isListed = true;
  const live = await openClientSession(newParts(core, true), { abandon: !goesOn });
  await remember(live);
  enlist(server, live);
  return live;
}

/** All that was said before, and how its opening ended what was left open. */
async function remember({ core, events }: ClientSession): Promise<void> {
  await core.session.stored();
  const stored = await (await core.server.store()).read(core.id);
  const since = cutLog(events, 0);
  replay(events, stored as unknown as SessionEvent[], core.id); // Unknown types are skipped.
  const known = new Set(events.log.map(({ id }) => id));
  for (const event of since) if (!known.has(event.id)) addToLog(events, event);
}

/** Takes over options that replace those of before. Some hold for as long as a session is open, so it is opened again. */
export async function changeOptions(live: ClientSession, changes: Json): Promise<void> {
  const { core, models } = live;
  const before = core.given;
  refuseOptions({ ...before, ...changes }, knownModel(core, models));
  core.given = { ...before, ...changes };
  const [named, agent] = [textOf(changes.model), textOf(changes.agent)];
  const model = named === models.model ? undefined : named;
  models.model = model ?? models.model;
  live.agents.selected = agent ?? live.agents.selected;
  models.effort = textOf(changes.reasoningEffort) ?? models.effort;
  const cwd = textOf(changes.workingDirectory) ?? core.cwd;
  const isOther = FIXED.some((name) => JSON.stringify(before[name]) !== JSON.stringify(core.given[name]));
  if (cwd !== core.cwd || isOther) await moveTo(live, cwd);
  else await applyOptions(live, dropUndefined({ model, agent }));
}

const FIXED = ["sandboxConfig", "largeOutput", "hookDirectories", "askUserDisabled"];

/** Another working directory is another workspace: the session is opened again on its journal. */
export async function moveTo(live: ClientSession, cwd: string): Promise<void> {
  await live.turns.running;
  await live.core.session.close();
  live.core.cwd = cwd;
  await reopenSession(live, { abandon: false });
}

function attach({ clients }: SessionCore, connection: ClientConnection, given: Json): void {
  const earlier = clients.get(connection);
  const options = readOptions(given);
  clients.set(connection, {
    connection,
    tools: given.tools === undefined ? (earlier?.tools ?? []) : options.tools,
    commands: given.commands === undefined ? (earlier?.commands ?? []) : options.commands,
    hooks: options.hooks === true,
    userInput: options.requestUserInput === true,
    elicitation: options.requestElicitation === true,
    exitPlan: options.requestExitPlanMode === true,
    autoSwitch: options.requestAutoModeSwitch === true,
    skills: options.hasSkillProvider === true,
    decides: options.requestPermission !== false,
    permissions: earlier?.permissions ?? true,
  });
}

export function commandsOf({ clients }: SessionCore): readonly Json[] {
  return [...clients.values()].flatMap(({ commands }) => commands);
}

/** A client leaves: its tools go with it, and with the last one the session leaves memory. */
export function detach(server: Runtime, live: ClientSession, connection: ClientConnection): Promise<void> {
  return inTurn(server, live.core.id, () => detachNow(server, live, connection));
}

async function detachNow(server: Runtime, live: ClientSession, connection: ClientConnection): Promise<void> {
  const { core, turns } = live;
  const client = core.clients.get(connection);
  if (client === undefined) return;
  const isLast = core.clients.size === 1;
  // Asked while its client can still be reached.
  if (isLast && turns.isStarted && !isWaiting(live)) await endHooks(core);
  const had = elicits(core);
  core.clients.delete(connection);
  stopAsking(core, connection);
  if (isLast) {
    if (!isWaiting(live)) await closeLive(server, live);
    return;
  }
  const left = new Set([...core.clients.values()].flatMap(({ tools }) => tools.map(({ name }) => name)));
  for (const { name } of client.tools) if (name !== undefined && !left.has(name)) turns.goneTools.add(name);
  if (had && !elicits(core)) emitPassing(core, "capabilities.changed", { ui: { elicitation: false } });
  if (core.closing === null) await applyOptions(live);
}

/** A client may take as long over this as over any hook of a call; then nobody waits for it. */
function endHooks(core: SessionCore): Promise<Json> {
  const { around, over } = core.server;
  return withTimeout(around.clock, DEFAULT_SECONDS * 1_000, over, (signal) =>
    invokeHook(core, "sessionEnd", { reason: "complete" }, undefined, signal),
  );
}

/** Something that a client can still answer when it comes back. */
function isWaiting({ core, events }: ClientSession): boolean {
  return events.calls.size > 0 || [...core.questions.values()].some(({ kind }) => kind === "permission");
}

/** Nobody has used it for long. Work that somebody waits for goes on. */
function endIdle(server: Runtime, live: ClientSession): void {
  const { core, turns } = live;
  if (turns.running !== null && core.clients.size > 0) {
    core.noteUse();
    return;
  }
  server.note(`session ${core.id} ends: nobody has used it`, "debug");
  const ending = turns.isStarted && core.clients.size > 0 ? endHooks(core) : Promise.resolve();
  ending
    .then(() => shutDown(server, live, "routine"))
    .catch((error: unknown) => server.note(`ending an idle session: ${error}`, "error"));
}

/** Tells clients that the session ends, and ends it. */
export async function shutDown(
  server: Runtime,
  live: ClientSession,
  shutdownType: string,
  errorReason?: string,
): Promise<void> {
  const { core } = live;
  emit(core, "session.shutdown", {
    ...dropUndefined({ shutdownType, errorReason }),
    ...toMetrics(live),
    // A number here, and a text in the same figures elsewhere.
    sessionStartTime: core.startTime,
  });
  await core.session.stored();
  await closeLive(server, live);
}

/** Ends what runs and lets the session leave memory; what it has to store is stored. */
export async function closeLive(server: Runtime, live: ClientSession): Promise<void> {
  live.core.closing ??= close(server, live);
  live.core.noteUse();
  await live.core.closing;
}

async function close(server: Runtime, live: ClientSession): Promise<void> {
  const { core, events, turns } = live;
  turns.queue.length = 0;
  stopAsking(core);
  await noteSession(live).catch(() => {});
  await core.session.close();
  await finishWriting(core, events);
  await rm(providedFolder(core), { recursive: true, force: true });
  server.live.delete(core.id);
  for (const wake of [...events.waiting]) wake();
  server.onlooker?.closed(core.id);
  if (!core.isListed) await (await server.store()).delete(core.id).catch(() => false);
}

async function remove(server: Runtime, id: string): Promise<Json> {
  const live = server.live.get(id);
  const store = await server.store();
  const isNoted = (await notesIn(store).get(id)) !== undefined;
  if (live === undefined && !isNoted) return { success: false, error: `Session file not found for ${id}` };
  if (live !== undefined) await closeLive(server, live);
  await notesIn(store).change(id, () => undefined);
  await store.delete(id);
  await rm(sessionStateFolder({ server, id }), { recursive: true, force: true });
  for (const connection of server.connections)
    connection.notify("session.lifecycle", { type: "session.deleted", sessionId: id });
  return { success: true };
}

/** Tells all clients of the process about a session. */
export function announce(type: string, { core }: ClientSession): void {
  const metadata = {
    startTime: new Date(core.startTime).toISOString(),
    modifiedTime: new Date().toISOString(),
    ...dropUndefined({ summary: core.name ?? undefined }),
  };
  for (const connection of core.server.connections)
    connection.notify("session.lifecycle", { type, sessionId: core.id, metadata });
}
