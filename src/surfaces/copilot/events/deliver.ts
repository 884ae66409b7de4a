import { createHash, randomUUID } from "node:crypto";
import type { SessionEvent } from "../../../core/events/envelope.ts";
import type { SessionEvents } from "../../../core/events/event-types.ts";
import { sizeOf } from "../models/request-size.ts";
import { noteUse } from "../state/idle-timer.ts";
import { keepEvent, keepSaid } from "../state/kept-files.ts";
import { type Live, steeringOf } from "../state/live.ts";
import type { CopilotEvent } from "../wire/copilot-event.ts";
import { type Json, numberOf, stated, textOf } from "../wire/wire-values.ts";
import { followAgents, nameAgent, nameNotice } from "./agent-events.ts";
import { checkpointsOf, keepCheckpoint } from "./checkpoints.ts";
import { addToLog, cutLog } from "./event-log.ts";
import { type Said, translate } from "./translate-event.ts";
import { noteUsage } from "./usage-metrics.ts";

/** Passing events that can still be read from the event log. */
const MOST_LATE = 2_000;

/** What the session says reaches its clients, in the order in which it happened. */
export function follow(live: Live): void {
  live.session.on("*", (event) => hear(live, event));
}

function hear(live: Live, event: SessionEvent): void {
  keepEvent(live, event);
  followAgents(live, event);
  if (event.type === "user.message") steeringOf(live).delete(event.data.messageId);
  const said = translate(event, live.id);
  if (said === null) return;
  if (event.type.startsWith("subagent.") && event.agent !== null) {
    deliver(live, { ...said, data: nameAgent(live, said.data, event.agent) }, event);
    return;
  }
  if (said.type === "assistant.message_delta" && live.wire.streaming !== true) return;
  if (said.type.endsWith("_delta") && event.agent !== null && live.wire.includeSubAgentStreamingEvents === false)
    return;
  noteCall(live, event);
  if (event.type === "session.error") {
    live.facts.set("told error", live.current);
    deliver(live, { ...said, data: stated({ ...said.data, originatingMessageId: live.current ?? undefined }) }, event);
    return;
  }
  if (event.type === "assistant.message" && event.agent === null) {
    deliver(live, { ...said, data: nameOrigin(live, said.data) }, event);
    return;
  }
  if (event.type === "system.notification") {
    deliver(live, { ...said, data: nameNotice(live, said.data) }, event);
    return;
  }
  if (event.type.startsWith("session.compaction_")) {
    deliver(live, { ...said, data: { ...said.data, ...countCompaction(live, said) } }, event);
    return;
  }
  if (event.type === "tool.execution_complete") {
    noteArguments(live, event.data);
    tellUnstarted(live, event);
  }
  if (event.type === "assistant.usage") tellUsage(live, event.agent, said.data);
  deliver(live, said, event);
}

/** What a model says after a note of ours, such as a skill's text, still answers the message of the client. */
function nameOrigin({ notes, current }: Live, data: Json): Json {
  const isClients = notes.sent.has(data.originatingMessageId);
  return isClients || current === null ? data : { ...data, originatingMessageId: current };
}

/** Which calls clients still have to answer. */
function noteCall({ calls }: Live, event: SessionEvent): void {
  if (event.type === "external_tool.requested") {
    const { requestId, toolName, toolCallId, arguments: args } = event.data;
    calls.set(requestId, { toolName, toolCallId, args });
  } else if (event.type === "external_tool.completed") calls.delete(event.data.requestId);
  else if (event.type === "tool.execution_complete")
    for (const [id, { toolCallId }] of calls) if (toolCallId === event.data.toolCallId) calls.delete(id);
}

/** What a compaction is about, in numbers; they are estimates. */
function countCompaction(live: Live, { type, data }: Said): Json {
  const { system, all } = sizeOf(live.size);
  const tokens = Math.max(1, Math.ceil(all / 4));
  const systemTokens = Math.ceil(system / 4);
  if (type === "session.compaction_start") return { conversationTokens: tokens - systemTokens, systemTokens };
  return {
    ...(data.success === true ? { checkpointNumber: checkpointsOf(live.log).length + 1 } : {}),
    preCompactionTokens: tokens,
    compactionTokensUsed: {
      inputTokens: tokens,
      outputTokens: Math.ceil((textOf(data.summaryContent)?.length ?? 0) / 4),
    },
  };
}

/** A call that never started has an end for clients only behind a start. */
function tellUnstarted(live: Live, event: Extract<SessionEvent, { type: "tool.execution_complete" }>): void {
  const start = startBefore(live, event);
  if (start !== null) deliver(live, start, { ...event, id: idBefore(event.id) });
}

function startBefore(
  { notes }: Live,
  { data: ended }: { data: SessionEvents["tool.execution_complete"] },
): Said | null {
  const { toolCallId, toolName, arguments: args } = ended;
  if (notes.calls.get(toolCallId)?.isStarted) return null;
  return { type: "tool.execution_start", ephemeral: false, data: { toolCallId, toolName, arguments: args } };
}

/** An id that follows from another, so that it is the same whenever a journal is read. */
function idBefore(id: string): string {
  const hex = createHash("sha256").update(id).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** Arguments as they ran, where a hook or a person changed them. */
function noteArguments(live: Live, { toolCallId, arguments: args }: { toolCallId: string; arguments: unknown }): void {
  const asked = live.notes.calls.get(toolCallId)?.asked ?? null;
  if (asked === null || JSON.stringify(asked.arguments) === JSON.stringify(args)) return;
  const changed = (live.facts.get("changed arguments") as Map<string, unknown> | undefined) ?? new Map();
  live.facts.set("changed arguments", changed.set(toolCallId, args));
}

/** How full the context is, from what the provider counted or what was said. */
function tellUsage(live: Live, agent: string | null, data: Json): void {
  noteUsage(live, data);
  if (agent !== null) return;
  const counted = (numberOf(data.inputTokens) ?? 0) + (numberOf(data.outputTokens) ?? 0);
  deliver(
    live,
    {
      type: "session.usage_info",
      ephemeral: true,
      data: {
        currentTokens: counted > 0 ? counted : Math.max(1, Math.ceil(sizeOf(live.size).all / 4)),
        tokenLimit: contextWindowOf(live),
        messagesLength: Math.max(1, live.notes.messages),
      },
    },
    { id: randomUUID(), at: Date.now(), agent: null, seq: 0 },
  );
}

export function contextWindowOf(live: Live): number {
  return live.session.toolset.scene.model?.contextWindow ?? 128_000;
}

function deliver(live: Live, said: Said, stamp: Pick<SessionEvent, "id" | "at" | "agent" | "seq">): void {
  const { id, at, agent, seq } = stamp;
  const event: CopilotEvent = toEvent(live.log, said, { id, at, agent });
  if (!said.ephemeral) {
    addToLog(live, event);
    live.places.set(id, seq);
    keepSaid(live, event);
    keepCheckpoint(live, event);
  }
  noteUse(live);
  live.heard += 1;
  live.ring.push({ at: live.heard, event });
  if (live.ring.length > MOST_LATE) live.ring.shift();
  const waiting = live.facts.get("waiting") as Set<() => void> | undefined;
  if (waiting !== undefined) for (const wake of [...waiting]) wake();
  for (const { connection, permissions } of live.clients.values())
    if (permissions || !event.type.startsWith("permission."))
      connection.notify("session.event", { sessionId: live.id, event });
}

function toEvent(
  log: readonly CopilotEvent[],
  { type, data, ephemeral }: Said,
  { id, at, agent }: Pick<SessionEvent, "id" | "at" | "agent">,
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

/** All that a journal keeps, as clients would have heard it. */
export function replay(events: readonly SessionEvent[], live: Live): void {
  const { log, places, id: sessionId } = live;
  for (const event of events) {
    places.set(event.id, event.seq);
    if (event.type === "history.truncated") {
      const at = log.findIndex(({ id }) => (places.get(id) ?? 0) >= event.data.from);
      if (at >= 0) cutLog(live, at);
    }
    const said = translate(event, sessionId);
    noteCall(live, event);
    const start = event.type === "tool.execution_complete" ? startBefore(live, event) : null;
    if (start !== null) addToLog(live, toEvent(log, start, { ...event, id: idBefore(event.id) }));
    if (said !== null && !said.ephemeral) addToLog(live, toEvent(log, said, event));
  }
}
