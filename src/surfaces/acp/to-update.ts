import type { KnownEvent } from "../../core/events/envelope.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { CallDescription } from "./describe-call.ts";

type Describe = (toolName: string, args: unknown) => CallDescription;

/** The updates that an editor gets for an event; messages of child agents are only for the model. */
export function toUpdates(event: KnownEvent, describe: Describe): readonly object[] {
  switch (event.type) {
    case "assistant.message_delta":
      return event.agent === null ? toChunk("agent_message_chunk", event.data.deltaContent, event.data.messageId) : [];
    case "assistant.reasoning_delta":
      return event.agent === null ? toChunk("agent_thought_chunk", event.data.deltaContent, event.data.messageId) : [];
    default:
      return toCallUpdates(event, describe);
  }
}

/** The updates for an event of the past, when messages are whole. */
export function toPastUpdates(event: KnownEvent, describe: Describe): readonly object[] {
  if (event.agent !== null) return toCallUpdates(event, describe);
  if (event.type === "user.message" && event.data.source === "user")
    return event.data.content.flatMap((part) =>
      part.type === "text" ? toChunk("user_message_chunk", part.text, event.data.messageId) : [],
    );
  if (event.type === "assistant.message")
    return event.data.content.flatMap((part) =>
      part.type === "text" ? toChunk("agent_message_chunk", part.text, event.data.messageId) : [],
    );
  return toCallUpdates(event, describe);
}

function toCallUpdates({ type, data }: KnownEvent, describe: Describe): readonly object[] {
  switch (type) {
    case "tool.execution_start": {
      const { toolCallId, toolName, arguments: args } = data;
      return [{ sessionUpdate: "tool_call", toolCallId, status: "pending", ...describe(toolName, args) }];
    }
    case "tool.running":
      return [{ sessionUpdate: "tool_call_update", toolCallId: data.toolCallId, status: "in_progress" }];
    case "tool.execution_complete": {
      const { toolCallId, toolName, success, content, arguments: args } = data;
      const status = success ? "completed" : "failed";
      const shown = [
        ...describe(toolName, args).content,
        { type: "content", content: { type: "text", text: content } },
      ];
      const ended = { sessionUpdate: "tool_call_update", toolCallId, status, content: shown };
      return success && toolName === "todo" ? [ended, ...toPlan(args)] : [ended];
    }
    case "session.mode_changed":
      return [{ sessionUpdate: "current_mode_update", currentModeId: data.newMode }];
    default:
      return [];
  }
}

/** The protocol calls the list of steps a plan. */
function toPlan(args: unknown): readonly object[] {
  const items = isRecord(args) && Array.isArray(args.items) ? args.items.filter(isRecord) : [];
  if (items.length === 0) return [];
  const entries = items.map(({ text, status }) => ({ content: String(text), status, priority: "medium" }));
  return [{ sessionUpdate: "plan", entries }];
}

function toChunk(sessionUpdate: string, text: string, messageId: string): readonly object[] {
  return text === "" ? [] : [{ sessionUpdate, messageId, content: { type: "text", text } }];
}
