import { createHash, randomUUID } from "node:crypto";
import type { SessionEvent } from "../../../core/events/envelope.ts";
import { type ModelState, noteUsage, sizeOf } from "../models/model-state.ts";
import { writeClientEvent, writeEvent } from "../state/client-journal.ts";
import { addToLog, type CopilotEvent, cutLog, type EventLog } from "../state/event-log.ts";
import type { SessionCore } from "../state/session-core.ts";
import { type AgentState, customAgents } from "../tools/agents.ts";
import { dropUndefined, type Json, numberOf, textOf } from "../wire/wire-values.ts";
import { checkpointsOf, writeCheckpoint } from "./checkpoints.ts";
import { type ClientEvent, translate } from "./translate-event.ts";

/** Passing events that can still be read from the event log. */
const MOST_LATE = 2_000;

/** What events are about. */
export interface EventParts {
  readonly core: SessionCore;
  readonly events: EventLog;
  readonly models: ModelState;
  readonly agents: AgentState;
}

type Ended = Extract<SessionEvent, { type: "tool.execution_complete" }>;

/** An event of the session goes to its clients, in the order in which it happened. */
export function deliverEvent(parts: EventParts, event: SessionEvent): void {
  const { core, events } = parts;
  writeEvent(core, events, event);
  noteAgent(parts.agents, event);
  const translated = translate(event, core.id);
  if (translated === null || isUnwanted(core, translated, event)) return;
  noteCall(events, event);
  if (event.type === "session.error") events.failed = core.current;
  if (event.type === "tool.execution_complete") {
    noteArguments(parts, event);
    const start = startBefore(events, event);
    if (start !== null) deliver(parts, start, { ...event, id: idBefore(event.id) });
  }
  if (event.type === "assistant.usage") deliverUsage(parts, event.agent, translated.data);
  const data = complete(parts, translated, event);
  deliver(parts, data === translated.data ? translated : { ...translated, data }, event);
}

/** Deltas that clients did not ask for. */
function isUnwanted({ options }: SessionCore, { type }: ClientEvent, { agent }: SessionEvent): boolean {
  if (type === "assistant.message_delta" && options.streaming !== true) return true;
  return type.endsWith("_delta") && agent !== null && options.includeSubAgentStreamingEvents === false;
}

/** What only the session knows about an event. */
function complete(parts: EventParts, { type, data }: ClientEvent, { type: own, agent }: SessionEvent): Json {
  const { core, events } = parts;
  switch (own) {
    case "subagent.started":
    case "subagent.completed":
    case "subagent.failed":
      return nameAgent(parts, data);
    case "session.error":
      return dropUndefined({ ...data, originatingMessageId: core.current ?? undefined });
    case "assistant.message": {
      // What a model says after a note of ours, such as a skill's text, still answers the message of the client.
      const isClients = agent !== null || events.notes.sent.has(data.originatingMessageId);
      return isClients || core.current === null ? data : { ...data, originatingMessageId: core.current };
    }
    case "session.compaction_start":
    case "session.compaction_complete":
      return { ...data, ...countCompaction(parts, type, data) };
    default:
      return data;
  }
}

/** Which calls clients still have to answer. */
function noteCall({ calls }: EventLog, event: SessionEvent): void {
  if (event.type === "external_tool.requested") {
    const { requestId, toolName, toolCallId, arguments: args } = event.data;
    calls.set(requestId, { toolName, toolCallId, args });
  } else if (event.type === "external_tool.completed") calls.delete(event.data.requestId);
  else if (event.type === "tool.execution_complete")
    for (const [id, { toolCallId }] of calls) if (toolCallId === event.data.toolCallId) calls.delete(id);
}

/** Follows which agents work for the session in the background. */
function noteAgent({ background }: AgentState, { type, data }: SessionEvent): void {
  if (type === "subagent.started" && data.mode === "background") background.add(data.agentId);
  if (type === "system.notification" && data.kind.type === "agent_completed") background.delete(data.kind.agentId);
}

/** What clients call the agent of an event. */
function nameAgent({ core, agents }: EventParts, data: Json): Json {
  const custom = customAgents(core, agents).find(({ name }) => name === data.agentName);
  if (custom === undefined) return data;
  const { displayName: agentDisplayName, description: agentDescription } = custom;
  const known = data.agentDescription === undefined ? {} : { agentDescription };
  return { ...data, ...dropUndefined({ agentDisplayName, ...known }) };
}

/** What a compaction is about, in numbers; they are estimates. */
function countCompaction({ events, models }: EventParts, type: string, { success, summaryContent }: Json): Json {
  const { system, all } = sizeOf(models);
  const tokens = Math.max(1, Math.ceil(all / 4));
  const systemTokens = Math.ceil(system / 4);
  if (type === "session.compaction_start") return { conversationTokens: tokens - systemTokens, systemTokens };
  return {
    ...(success === true ? { checkpointNumber: checkpointsOf(events).length + 1 } : {}),
    preCompactionTokens: tokens,
    compactionTokensUsed: { inputTokens: tokens, outputTokens: Math.ceil((textOf(summaryContent)?.length ?? 0) / 4) },
  };
}

/** A call that never started has an end for clients only behind a start. */
function startBefore(
  { notes }: EventLog,
  { data: { toolCallId, toolName, arguments: args } }: Ended,
): ClientEvent | null {
  if (notes.calls.get(toolCallId)?.isStarted) return null;
  return { type: "tool.execution_start", ephemeral: false, data: { toolCallId, toolName, arguments: args } };
}

/** An id that follows from another, so that it is the same whenever a journal is read. */
function idBefore(id: string): string {
  const hex = createHash("sha256").update(id).digest("hex");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join("-");
}

/** Arguments as they ran, where a hook or a person changed them. */
function noteArguments({ events, models }: EventParts, { data: { toolCallId, arguments: args } }: Ended): void {
  const asked = events.notes.calls.get(toolCallId)?.asked ?? null;
  if (asked !== null && JSON.stringify(asked.arguments) !== JSON.stringify(args))
    models.changedArguments.set(toolCallId, args);
}

/** How full the context is, from what the provider counted or what was said. */
function deliverUsage(parts: EventParts, agent: string | null, data: Json): void {
  const { core, events, models } = parts;
  noteUsage(models, data);
  if (agent !== null) return;
  const counted = (numberOf(data.inputTokens) ?? 0) + (numberOf(data.outputTokens) ?? 0);
  const info = {
    currentTokens: counted > 0 ? counted : Math.max(1, Math.ceil(sizeOf(models).all / 4)),
    tokenLimit: contextWindowOf(core),
    messagesLength: Math.max(1, events.notes.messages),
  };
  const stamp = { id: randomUUID(), at: Date.now(), agent: null, seq: 0 };
  deliver(parts, { type: "session.usage_info", ephemeral: true, data: info }, stamp);
}

export function contextWindowOf({ session }: SessionCore): number {
  return session.toolset.scene.model?.contextWindow ?? 128_000;
}

type Stamp = Pick<SessionEvent, "id" | "at" | "agent" | "seq">;

function deliver({ core, events }: EventParts, told: ClientEvent, stamp: Stamp): void {
  const event = toEvent(events.log, told, stamp);
  if (!told.ephemeral) {
    addToLog(events, event);
    events.places.set(stamp.id, stamp.seq);
    writeClientEvent(core, events, event);
    writeCheckpoint(core, events, event);
  }
  if (event.type === "session.error") events.hasError = true;
  core.noteUse();
  events.last += 1;
  events.ring.push({ at: events.last, event });
  if (events.ring.length > MOST_LATE) events.ring.shift();
  for (const wake of [...events.waiting]) wake();
  for (const { connection, permissions } of core.clients.values())
    if (permissions || !event.type.startsWith("permission."))
      connection.notify("session.event", { sessionId: core.id, event });
}

function toEvent(
  log: readonly CopilotEvent[],
  { type, data, ephemeral }: ClientEvent,
  { id, at, agent }: Omit<Stamp, "seq">,
): CopilotEvent {
  return {
    id,
    parentId: log.at(-1)?.id ?? null,
    timestamp: timestampOf(at),
    type,
    data,
    ...(ephemeral ? { ephemeral: true } : {}),
    ...(agent === null ? {} : { agentId: agent }),
  };
}

/** Many events happen in one millisecond. */
let lastTime = { at: 0, text: new Date(0).toISOString() };

function timestampOf(at: number): string {
  if (lastTime.at !== at) lastTime = { at, text: new Date(at).toISOString() };
  return lastTime.text;
}

/** All that a journal holds, as clients would have got it. */
export function replay(events: EventLog, stored: readonly SessionEvent[], sessionId: string): void {
  const { log, places } = events;
  for (const event of stored) {
    places.set(event.id, event.seq);
    if (event.type === "history.truncated") {
      const at = log.findIndex(({ id }) => (places.get(id) ?? 0) >= event.data.from);
      if (at >= 0) cutLog(events, at);
    }
    const translated = translate(event, sessionId);
    noteCall(events, event);
    const start = event.type === "tool.execution_complete" ? startBefore(events, event) : null;
    if (start !== null) addToLog(events, toEvent(log, start, { ...event, id: idBefore(event.id) }));
    if (translated !== null && !translated.ephemeral) addToLog(events, toEvent(log, translated, event));
  }
}
