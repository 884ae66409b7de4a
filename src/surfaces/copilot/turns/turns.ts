import { stopAsking } from "../clients/ask-client.ts";
import { invokeHook } from "../clients/client-hooks.ts";
import { loadInstructions } from "../models/instructions.ts";
import type { ModelRoute } from "../models/model-route.ts";
import { transformSections } from "../models/system-context.ts";
import { applyOptions, startServers } from "../sessions/servers.ts";
import { type Live, type Queued, steeringOf, tell, tellIdle, tellPassing } from "../state/live.ts";
import { noteSession } from "../state/session-notes.ts";
import { tellLeftOut } from "../tools/given-agents.ts";
import { loadProvided } from "../tools/provided-skills.ts";
import { newlyIgnored } from "../wire/options.ts";
import { isJson, type Json, recordOf, stated, textOf } from "../wire/wire-values.ts";
import { toolsGone, toUserText } from "./user-text.ts";

/** Takes a message: behind what goes on, or with `immediate` into it. Returns its id at once. */
export function send(live: Live, params: Json): string {
  const messageId = live.server.around.newId();
  if (params.mode === "immediate" && live.running) {
    steer(live, messageId, params).catch((error: unknown) => tellError(live, error));
    return messageId;
  }
  if (live.running) tellPassing(live, "pending_messages.modified", {});
  live.queue.push({ messageId, params });
  work(live);
  return messageId;
}

/** Goes on with what waits, one thing after the other. */
export function work(live: Live): void {
  if (live.running || live.closing !== null) return;
  live.running = true;
  live.aborted = false;
  live.idle = (async () => {
    try {
      for (let next = live.queue.shift(); next !== undefined; next = live.queue.shift()) {
        tellPassing(live, "pending_messages.modified", {});
        await (next.command === undefined ? runOne(live, next) : runCommand(live, next.command));
      }
    } finally {
      live.running = false;
      live.current = null;
      steeringOf(live).clear();
    }
    tellIdle(live);
  })();
}

async function steer(live: Live, messageId: string, params: Json): Promise<void> {
  const prompt = textOf(params.prompt) ?? "";
  steeringOf(live).set(messageId, textOf(params.displayPrompt) ?? prompt);
  const { text, files } = await toUserText(params, prompt, contextOf(live, []));
  tellUser(live, messageId, params, prompt, text);
  live.session.send(text, { mode: "immediate", messageId, attachments: files });
}

async function runOne(live: Live, { messageId, params }: Queued): Promise<void> {
  live.current = messageId;
  try {
    const said = await prepare(live, messageId, params);
    if (said === null || isGivenUp(live)) return;
    await live.session.run(said.text, {
      messageId,
      attachments: said.files,
      before: said.before,
      after: said.after,
      ...(said.schema === undefined ? {} : { schema: said.schema }),
    });
  } catch (error) {
    // What the loop met has been told by its own event.
    if (live.facts.get("told error") !== messageId) tellError(live, error);
  } finally {
    live.turns += 1;
    // What waits must go on all the same; a session that ends has been noted, and its store may be closed.
    await noteSession(live).catch((error: unknown) => tellError(live, error));
  }
}

function tellError(live: Live, error: unknown): void {
  if (live.closing !== null) return;
  const message = error instanceof Error ? error.message : String(error);
  tell(live, "session.error", stated({ errorType: "query", message, originatingMessageId: live.current ?? undefined }));
}

interface Prepared {
  readonly text: string;
  readonly files: Awaited<ReturnType<typeof toUserText>>["files"];
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly schema?: Json;
}

/** Everything up to the first request: hooks, servers, the text that the model reads. Null: a hook blocked it, or it was given up. */
async function prepare(live: Live, messageId: string, params: Json): Promise<Prepared | null> {
  const { agentMode } = params;
  if (MODES.has(agentMode) && agentMode !== live.mode) {
    live.mode = String(agentMode);
    await applyOptions(live);
  }
  const before = await begin(live, textOf(params.prompt) ?? "");
  const submitted = await invokeHook(live, "userPromptSubmitted", { prompt: textOf(params.prompt) ?? "" });
  if (submitted.decision === "block") {
    const message = textOf(submitted.reason) ?? "a hook blocked the prompt";
    tellPassing(live, "session.warning", {
      warningType: "policy_blocked",
      message,
      originatingMessageId: messageId,
    });
    return null;
  }
  const prompt = textOf(submitted.modifiedPrompt) ?? textOf(params.prompt) ?? "";
  const more = textOf(submitted.additionalContext);
  const gone = [...live.goneTools];
  live.goneTools.clear();
  const made = await toUserText(params, prompt, contextOf(live, toolsGone(gone)));
  const changed = await invokeHook(live, "userPromptTransformed", { prompt, transformedPrompt: made.text });
  const text = textOf(changed.modifiedTransformedPrompt) ?? made.text;
  live.facts.set("request headers", recordOf(params.requestHeaders));
  await startServers(live);
  await loadProvided(live);
  await live.session.settled(AbortSignal.timeout(SERVER_PATIENCE));
  await transformSections(live);
  await loadInstructions(live);
  if (isGivenUp(live)) return null;
  tellUser(live, messageId, params, prompt, text);
  live.hasTurn = true;
  tellLeftOut(live);
  await (live.facts.get("route") as ModelRoute).prepare();
  const ignored = newlyIgnored(live);
  if (ignored !== null) tell(live, "session.warning", { warningType: "options_ignored", message: ignored });
  const schema = recordOf(recordOf(params.responseFormat).jsonSchema).schema;
  const files = made.files;
  return {
    ...{ text, files, before },
    after: [...(more === undefined ? [] : [more]), ...limitsOf(live)],
    ...(isJson(schema) ? { schema } : {}),
  };
}

function isGivenUp({ aborted, closing }: Live): boolean {
  return aborted || closing !== null;
}

const MODES: ReadonlySet<unknown> = new Set(["interactive", "plan", "autopilot"]);

/** Milliseconds that servers which still start have before a run begins without them. */
const SERVER_PATIENCE = 10_000;

/** The hooks of the session's start, with its first message. */
async function begin(live: Live, initialPrompt: string): Promise<readonly string[]> {
  if (live.isStarted) return [];
  live.isStarted = true;
  const source = live.facts.get("resumed") === true ? "resume" : "new";
  const started = await invokeHook(live, "sessionStart", { source, initialPrompt });
  const context = textOf(started.additionalContext);
  return context === undefined ? [] : [context];
}

function limitsOf({ wire }: Live): readonly string[] {
  const { maxAiCredits } = recordOf(wire.sessionLimits);
  if (typeof maxAiCredits !== "number") return [];
  return [
    `<session_limits_status>\nRemaining session limits: ${maxAiCredits} AI credits. Later session_limits_status messages supersede earlier ones. Be frugal; avoid optional exploration and unnecessary tool calls.\n</session_limits_status>`,
  ];
}

function contextOf({ cwd }: Live, notices: readonly string[]) {
  return { cwd, now: new Date().toISOString(), notices };
}

function tellUser(live: Live, messageId: string, params: Json, content: string, transformedContent: string): void {
  const { attachments, source, agentMode, displayPrompt } = params;
  const mode = agentMode ?? (live.mode === "interactive" ? undefined : live.mode);
  const about = { content: displayPrompt ?? content, transformedContent, messageId };
  tell(live, "user.message", stated({ ...about, attachments, source, agentMode: mode }) as Json);
}

async function runCommand(live: Live, { requestId, command }: NonNullable<Queued["command"]>): Promise<void> {
  await new Promise<void>((resolve) => {
    live.questions.set(requestId, { kind: "command", asked: { command }, answer: () => resolve() });
    tellPassing(live, "command.queued", { requestId, command });
  });
  live.questions.delete(requestId);
}

/** Ends the run and drops what waits; nothing happens where nothing runs. */
export async function abort(live: Live): Promise<void> {
  live.queue.length = 0;
  if (!live.running) return;
  live.aborted = true;
  stopAsking(live);
  for (const { kind, answer } of [...live.questions.values()]) if (kind === "command") answer({ error: "aborted" });
  await live.session.abort("user_initiated");
}
