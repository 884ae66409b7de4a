import type { UserPart } from "../../core/call/message.ts";
import type { KnownEvent, StoredEvent } from "../../core/events/envelope.ts";
import { isKnown } from "../../core/events/fold-journal.ts";

/** One event of a session, for people. */
export interface TimelineEntry {
  /** The number of its event. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The child agent that it happened in; null: the session's own agent. */
  readonly agent: string | null;
  readonly kind: "user" | "model" | "call" | "result" | "note";
  /** The tool of a call or a result, else the author or kind. */
  readonly title: string;
  readonly text: string;
}

/** The part of a journal that people want to see, in order. */
export function toTimeline(events: readonly StoredEvent[]): readonly TimelineEntry[] {
  return events.filter(isKnown).flatMap((event): readonly TimelineEntry[] => {
    const entry = toEntry(event);
    return entry === null ? [] : [{ seq: event.seq, at: event.at, agent: event.agent, ...entry }];
  });
}

type Said = Omit<TimelineEntry, "seq" | "at" | "agent">;

function toEntry(event: KnownEvent): Said | null {
  switch (event.type) {
    case "user.message":
      return { kind: "user", title: event.data.source, text: toText(event.data.content) };
    case "system.notification":
      return note(event.data.content);
    case "subagent.started":
      return note(`${event.data.agentId} began: ${event.data.description}`);
    case "assistant.message": {
      const text = event.data.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      return text === "" ? null : { kind: "model", title: event.data.model, text };
    }
    case "tool.execution_start":
      return { kind: "call", title: event.data.toolName, text: JSON.stringify(event.data.arguments ?? {}) };
    case "tool.execution_complete":
      return {
        kind: "result",
        title: `${event.data.success ? "✓" : "✗"} ${event.data.toolName}`,
        text: event.data.content,
      };
    case "permission.completed": {
      const { requestId, toolName, decision, by } = event.data;
      if (requestId === null) return null;
      return note(`${toolName}: ${decision}, answered by ${by ?? "nobody"}`);
    }
    case "session.started":
      return note("the session began");
    case "session.resumed":
      return note("the session was resumed");
    case "session.forked":
      return note(`forked from session ${event.data.from} at event ${event.data.at}`);
    case "history.truncated":
      return note(`what was said from event ${event.data.from} on was taken back`);
    case "session.world_changed":
      return note("the tools for the model, or what decides about them, changed");
    case "session.compaction_complete":
      return event.data.success ? note("the conversation was shortened") : null;
    case "session.error":
      return note(`error: ${event.data.message}`);
    case "session.idle":
      return note(event.data.stopReason === "end" ? "the run ended" : `the run ended: ${event.data.stopReason}`);
    default:
      return null;
  }
}

function note(text: string): Said {
  return { kind: "note", title: "session", text };
}

function toText(content: readonly UserPart[]): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.mimeType}]`)).join("\n");
}
