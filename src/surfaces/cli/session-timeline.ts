import type { UserPart } from "../../core/call/message.ts";
import type { KnownEvent, StoredEvent } from "../../core/events/envelope.ts";
import { isKnown } from "../../core/events/fold-journal.ts";

/** One thing that happened in a session, as people read it. */
export interface TimelineEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The agent below the session's own that it happened in; null: the session's own. */
  readonly agent: string | null;
  readonly kind: "user" | "model" | "call" | "result" | "note";
  /** The tool of a call or a result, else who or what it is. */
  readonly title: string;
  readonly text: string;
}

/** What people want to see of a journal, in order. */
export function toTimeline(events: readonly StoredEvent[]): readonly TimelineEntry[] {
  return events.filter(isKnown).flatMap((event): readonly TimelineEntry[] => {
    const entry = toEntry(event);
    return entry === null ? [] : [{ at: event.at, agent: event.agent, ...entry }];
  });
}

function toEntry(event: KnownEvent): Omit<TimelineEntry, "at" | "agent"> | null {
  switch (event.type) {
    case "user.message":
      return { kind: "user", title: event.data.source, text: toText(event.data.content) };
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
      return note("the session was gone on with");
    case "session.compaction_complete":
      return event.data.success ? note("the conversation was shortened") : null;
    case "session.error":
      return note(`error: ${event.data.message}`);
    case "session.idle":
      return note(`the run ended: ${event.data.stopReason}`);
    default:
      return null;
  }
}

function note(text: string): Omit<TimelineEntry, "at" | "agent"> {
  return { kind: "note", title: "session", text };
}

function toText(content: readonly UserPart[]): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.mimeType}]`)).join("\n");
}
