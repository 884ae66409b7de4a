import { knownModel, sceneModel } from "../models/model-state.ts";
import { loadInstructions, transformSections } from "../models/system-text.ts";
import type { ClientSession } from "../sessions/client-session.ts";
import { emitIdle } from "../sessions/emit-idle.ts";
import { applyOptions, startServers } from "../sessions/session-options.ts";
import { askAll, emit, emitPassing, invokeHook, type SessionCore, stopAsking } from "../state/session-core.ts";
import { noteSession } from "../state/session-notes.ts";
import type { Queued } from "../state/turn-state.ts";
import { reportLeftOut } from "../tools/agents.ts";
import { loadProvided } from "../tools/skills.ts";
import { newlyIgnored } from "../wire/client-options.ts";
import { dropUndefined, isJson, type Json, recordOf, textOf } from "../wire/wire-values.ts";
import { toNamed, toolsGone, toUserText } from "./user-text.ts";

/** Takes a message: behind what goes on, or with `immediate` into it. Returns its id at once. */
export function send(live: ClientSession, params: Json): string {
  const { core, turns } = live;
  const messageId = core.server.around.newId();
  if (params.mode === "immediate" && turns.running !== null) {
    steer(live, messageId, params).catch((error: unknown) => emitError(core, error));
    return messageId;
  }
  enqueue(live, { messageId, params }, turns.running !== null);
  return messageId;
}

export function enqueue(live: ClientSession, queued: Queued, isReported = true): void {
  if (isReported) emitPassing(live.core, "pending_messages.modified", {});
  live.turns.queue.push(queued);
  work(live);
}

/** Goes on with what waits, unless that happens already. */
function work(live: ClientSession): void {
  const { core, turns, events } = live;
  if (turns.running !== null || core.closing !== null) return;
  turns.isAborted = false;
  turns.runs += 1;
  events.hasError = false;
  const end = (): void => {
    turns.running = null;
    turns.steering.clear();
    core.isAborting = false;
    core.current = null;
  };
  turns.running = runAll(live)
    .finally(end)
    .then(() => emitIdle(live));
}

/**
 * One after the other. Messages wait here and not in the queue of the session below: what the model reads is made when
 * their turn comes, and clients may list and remove them until then.
 */
async function runAll(live: ClientSession): Promise<void> {
  const { core, turns } = live;
  for (let next = turns.queue.shift(); next !== undefined; next = turns.queue.shift()) {
    emitPassing(core, "pending_messages.modified", {});
    await (next.command === undefined ? runOne(live, next) : runCommand(core, next.command));
  }
}

async function steer({ core, turns }: ClientSession, messageId: string, params: Json): Promise<void> {
  const prompt = textOf(params.prompt) ?? "";
  turns.steering.set(messageId, textOf(params.displayPrompt) ?? prompt);
  const { text, files } = await toUserText(params, prompt, core.cwd, []);
  emitUser(core, messageId, params, prompt, text);
  core.session.send(text, { mode: "immediate", messageId, attachments: files });
}

async function runOne(live: ClientSession, { messageId, params }: Queued): Promise<void> {
  const { core, events, models } = live;
  core.current = messageId;
  try {
    const prepared = await prepare(live, messageId, params);
    if (prepared !== null && !isGivenUp(live))
      await core.session.run(prepared.text, { messageId, ...prepared.options });
  } catch (error) {
    // A failure of the run itself was reported by its own event.
    if (events.failed !== messageId) emitError(core, error);
  } finally {
    models.usage.turns += 1;
    // What waits must go on all the same; a session that ends has been noted, and its store may be closed.
    await noteSession(live).catch((error: unknown) => emitError(core, error));
  }
}

function emitError(core: SessionCore, error: unknown): void {
  if (core.closing !== null) return;
  const message = error instanceof Error ? error.message : String(error);
  const originatingMessageId = core.current ?? undefined;
  emit(core, "session.error", dropUndefined({ errorType: "query", message, originatingMessageId }));
}

interface Prepared {
  readonly text: string;
  readonly options: NonNullable<Parameters<SessionCore["session"]["run"]>[1]>;
}

/** Everything up to the first request: hooks, servers, the text that the model reads. Null: a hook blocked it, or it was given up. */
async function prepare(live: ClientSession, messageId: string, params: Json): Promise<Prepared | null> {
  const { core, models, agents, turns } = live;
  const { agentMode } = params;
  if (MODES.has(agentMode) && agentMode !== core.mode) {
    core.mode = String(agentMode);
    await applyOptions(live);
  }
  const said = textOf(params.prompt) ?? "";
  const before = await begin(live, said);
  const submitted = await invokeHook(core, "userPromptSubmitted", { prompt: said });
  if (submitted.decision === "block") {
    const message = textOf(submitted.reason) ?? "a hook blocked the prompt";
    const about = { warningType: "policy_blocked", message, originatingMessageId: messageId };
    emitPassing(core, "session.warning", about);
    return null;
  }
  const prompt = textOf(submitted.modifiedPrompt) ?? said;
  const more = textOf(submitted.additionalContext);
  const gone = [...turns.goneTools];
  turns.goneTools.clear();
  const made = await toUserText(params, prompt, core.cwd, toolsGone(gone));
  const changed = await invokeHook(core, "userPromptTransformed", { prompt, transformedPrompt: made.text });
  const text = textOf(changed.modifiedTransformedPrompt) ?? made.text;
  models.headers = recordOf(params.requestHeaders);
  core.server.telemetry?.continueFrom(core.id, textOf(params.traceparent) ?? "");
  await makeReady(live);
  if (isGivenUp(live)) return null;
  emitUser(core, messageId, params, prompt, text);
  core.isListed = true;
  reportLeftOut(core, agents);
  await live.findModel(sceneModel(core));
  const message = newlyIgnored(core.given, knownModel(core, models), turns.ignored);
  if (message !== null) emit(core, "session.warning", { warningType: "options_ignored", message });
  const after = [...(more === undefined ? [] : [more]), ...limitsOf(core)];
  return { text, options: { attachments: made.files, before, after, ...schemaOf(params) } };
}

/** Servers, skills and the texts around the message, as they are now. */
async function makeReady(live: ClientSession): Promise<void> {
  const { core, models, skills } = live;
  await startServers(live);
  if (await loadProvided(core, skills)) await applyOptions(live);
  await core.session.settled(AbortSignal.timeout(SERVER_PATIENCE));
  await loadInstructions(core, models);
  await transformSections(core, models);
}

function schemaOf({ responseFormat }: Json): Pick<Prepared["options"], "schema"> {
  const { schema } = recordOf(recordOf(responseFormat).jsonSchema);
  return isJson(schema) ? { schema } : {};
}

function isGivenUp({ core, turns }: ClientSession): boolean {
  return turns.isAborted || core.closing !== null;
}

const MODES: ReadonlySet<unknown> = new Set(["interactive", "plan", "autopilot"]);

/** Milliseconds that servers which still start have before a run begins without them. */
const SERVER_PATIENCE = 10_000;

/** The hooks of the session's start, with its first message. */
async function begin({ core, turns }: ClientSession, initialPrompt: string): Promise<readonly string[]> {
  if (turns.isStarted) return [];
  turns.isStarted = true;
  const source = turns.isResumed ? "resume" : "new";
  const started = await invokeHook(core, "sessionStart", { source, initialPrompt });
  const context = textOf(started.additionalContext);
  return context === undefined ? [] : [context];
}

function limitsOf({ options }: SessionCore): readonly string[] {
  const { maxAiCredits } = recordOf(options.sessionLimits);
  if (typeof maxAiCredits !== "number") return [];
  return [
    `<session_limits_status>\nRemaining session limits: ${maxAiCredits} AI credits. Later session_limits_status messages supersede earlier ones. Be frugal; avoid optional exploration and unnecessary tool calls.\n</session_limits_status>`,
  ];
}

function emitUser(core: SessionCore, messageId: string, params: Json, content: string, transformed: string): void {
  const { source, agentMode, displayPrompt } = params;
  const attachments = toNamed(params.attachments);
  const mode = agentMode ?? (core.mode === "interactive" ? undefined : core.mode);
  const about = { content: displayPrompt ?? content, transformedContent: transformed, messageId };
  emit(core, "user.message", dropUndefined({ ...about, attachments, source, agentMode: mode }) as Json);
}

async function runCommand(core: SessionCore, { requestId, command }: NonNullable<Queued["command"]>): Promise<void> {
  const send = (): void => emitPassing(core, "command.queued", { requestId, command });
  await askAll(core, "command", requestId, { command }, send);
}

/** Ends the run and drops what waits; nothing happens where nothing runs. */
export async function abort({ core, turns }: ClientSession): Promise<void> {
  turns.queue.length = 0;
  if (turns.running === null) return;
  turns.isAborted = true;
  core.isAborting = true;
  stopAsking(core);
  for (const { kind, answer } of [...core.questions.values()]) if (kind === "command") answer({ error: "aborted" });
  await core.session.abort("user_initiated");
}
