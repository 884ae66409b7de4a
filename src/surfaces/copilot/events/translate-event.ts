import type { SessionEvent } from "../../../core/events/envelope.ts";
import type { EventName } from "../../../core/events/event-types.ts";
import { say } from "../tools/say-result.ts";
import { dropUndefined, type Json } from "../wire/wire-values.ts";

/** What clients get for an event of ours. */
export interface ClientEvent {
  readonly type: string;
  readonly data: Json;
  readonly ephemeral: boolean;
}

type EventOf<Name extends EventName> = Extract<SessionEvent, { readonly type: Name }>;
type Given<Name extends EventName> = Pick<EventOf<Name>, "data" | "agent" | "at" | "id">;
type Translations = {
  readonly [Name in EventName]?: (event: Given<Name>, sessionId: string) => ClientEvent | null;
};

const stored = (type: string, data: object): ClientEvent => ({
  type,
  data: dropUndefined(data) as Json,
  ephemeral: false,
});
const passing = (type: string, data: object): ClientEvent => ({
  type,
  data: dropUndefined(data) as Json,
  ephemeral: true,
});

/** Our events in the clients' words; what is not here only means something inside. */
const TRANSLATIONS: Translations = {
  "client.event": ({ data }) => ({ ...data, ephemeral: false }),
  "client.signal": ({ data }) => ({ ...data, ephemeral: true }),
  "assistant.turn_start": ({ data }) => stored("assistant.turn_start", data),
  "assistant.turn_end": ({ data }) => stored("assistant.turn_end", data),
  "assistant.message_delta": ({ data }) => passing("assistant.message_delta", data),
  "assistant.reasoning_delta": ({ data }) =>
    passing("assistant.reasoning_delta", { reasoningId: data.messageId, deltaContent: data.deltaContent }),
  "assistant.message": ({ data }) => stored("assistant.message", toMessage(data)),
  "assistant.usage": ({ data }) =>
    passing("assistant.usage", {
      model: data.model,
      inputTokens: data.inputTokens,
      outputTokens: data.outputTokens,
      cacheReadTokens: data.cachedTokens,
      cost: data.cost ?? undefined,
    }),
  "tool.execution_start": ({ data }) =>
    stored("tool.execution_start", {
      toolCallId: data.toolCallId,
      toolName: data.toolName,
      arguments: data.arguments,
      ...(typeof data.mcpServerName === "string" ? serverNames(data.mcpServerName, data.toolName) : {}),
    }),
  "tool.execution_progress": ({ data }) =>
    passing("tool.execution_progress", { toolCallId: data.toolCallId, progressMessage: data.progressMessage ?? "" }),
  "tool.execution_complete": ({ data }) => stored("tool.execution_complete", toCompletion(data)),
  "external_tool.requested": ({ data }, sessionId) =>
    stored("external_tool.requested", {
      requestId: data.requestId,
      sessionId,
      toolCallId: data.toolCallId,
      toolName: data.toolName,
      arguments: data.arguments,
    }),
  "external_tool.completed": ({ data }) => stored("external_tool.completed", { requestId: data.requestId }),
  "hook.start": ({ data }) =>
    stored("hook.start", {
      hookInvocationId: data.hookId,
      hookType: data.event,
      input: { toolCallId: data.toolCallId },
    }),
  "hook.end": ({ data }) =>
    stored("hook.end", {
      hookInvocationId: data.hookId,
      hookType: data.event,
      success: data.outcome === "ok" || data.outcome === "blocked",
      error: data.error === null ? undefined : { message: data.error },
    }),
  "skill.invoked": ({ data }) => (data.path === undefined ? null : stored("skill.invoked", data)),
  "subagent.started": ({ data }) =>
    stored("subagent.started", {
      toolCallId: data.toolCallId,
      agentName: data.agentName,
      agentDisplayName: data.agentName,
      agentDescription: data.description,
    }),
  "subagent.completed": ({ data }) => stored("subagent.completed", toSubagent(data)),
  "subagent.failed": ({ data }) => stored("subagent.failed", { ...toSubagent(data), error: data.error }),
  "session.task_complete": ({ data }) => stored("session.task_complete", { summary: data.summary, success: true }),
  abort: ({ data }) => stored("abort", { reason: ABORTS.has(data.reason) ? data.reason : "user_initiated" }),
  "session.tools_updated": ({ data }) => passing("session.tools_updated", { model: data.model ?? "" }),
  "session.warning": ({ data }) => stored("session.warning", { warningType: data.code, message: data.text }),
  "session.info": ({ data }) => stored("session.info", { infoType: "notification", message: data.text }),
  "system.notification": ({ data: { content, kind } }) =>
    stored("system.notification", {
      content,
      kind: { ...kind, status: kind.status === "completed" ? kind.status : "failed" },
    }),
  "session.compaction_start": ({ data }) => stored("session.compaction_start", { trigger: TRIGGERS[data.trigger] }),
  "session.compaction_complete": ({ data }) =>
    stored("session.compaction_complete", {
      success: data.success,
      trigger: TRIGGERS[data.trigger],
      summaryContent: data.summary ?? undefined,
      error: data.error ?? undefined,
    }),
  "session.error": ({ data }) =>
    stored("session.error", { errorType: "query", message: data.message, statusCode: data.status ?? undefined }),
  "assistant.retry": ({ data }) =>
    passing("session.info", { infoType: "model", message: `${data.message}; attempt ${data.attempt} of ${data.of}` }),
};

const TRIGGERS = { threshold: "threshold", manual: "manual", "context-limit": "context_limit_retry" } as const;

const ABORTS: ReadonlySet<string> = new Set(["user_initiated", "remote_command", "user_abort"]);

export function translate(event: SessionEvent, sessionId: string): ClientEvent | null {
  const make = TRANSLATIONS[event.type] as ((event: SessionEvent, sessionId: string) => ClientEvent | null) | undefined; // Each takes its own type.
  return make?.(event, sessionId) ?? null;
}

type Message = EventOf<"assistant.message">["data"];

function toMessage({ content, messageId, originatingMessageId, model }: Message): object {
  const requests = content.flatMap((part) =>
    part.type === "call"
      ? [{ toolCallId: part.call.id, name: part.call.toolName, arguments: part.call.arguments, type: "function" }]
      : [],
  );
  return {
    messageId,
    content: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
    model,
    originatingMessageId: originatingMessageId ?? undefined,
    toolRequests: requests.length === 0 ? undefined : requests,
  };
}

function serverNames(mcpServerName: string, toolName: string): object {
  return { mcpServerName, mcpToolName: toolName.slice(mcpServerName.length + 1) };
}

type Completed = EventOf<"tool.execution_complete">["data"];

function toCompletion(data: Completed): object {
  const text = say({ ...data, textResultForLlm: data.content });
  const about = { toolCallId: data.toolCallId, toolName: data.toolName, success: data.success };
  const telemetry = data.toolTelemetry === null ? {} : { toolTelemetry: data.toolTelemetry };
  const result = { content: text, ...(data.sessionLog === null ? {} : { detailedContent: data.sessionLog }) };
  if (data.success) return { ...about, ...telemetry, result };
  const own = ownError(data);
  const error = { message: own ?? text, code: data.resultType };
  return { ...about, ...telemetry, error, ...(own === null && data.sessionLog === null ? {} : { result }) };
}

/** What a tool that ran says about its failure to people, beside what the model reads. */
function ownError({ error, content, ran, code, cancelledBy }: Completed): string | null {
  const isOwn = ran !== undefined && code === undefined && cancelledBy === null;
  return isOwn && error !== content ? error : null;
}

function toSubagent(data: { readonly toolCallId: string; readonly agentName: string }): object {
  return { toolCallId: data.toolCallId, agentName: data.agentName, agentDisplayName: data.agentName };
}
