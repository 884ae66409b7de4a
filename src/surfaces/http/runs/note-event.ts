import type { SessionEvent } from "../../../core/events/envelope.ts";
import { cutCopy } from "../api/shown-value.ts";
import { noteCall } from "./note-call.ts";
import { noteConversation } from "./note-conversation.ts";
import { MOST, newAgent, type RunBook } from "./run-record.ts";

const LONGEST_ERROR = 1_000;
const LONGEST_TASK = 500;

/** Records an event in the book of its session. True if a page would see a difference. */
export function noteEvent(book: RunBook, event: SessionEvent): boolean {
  const isSeen =
    noteConversation(book, event) || noteCall(book, event) || noteAgent(book, event) || noteEnd(book, event);
  if (isSeen) book.record.changed = event.at;
  return isSeen;
}

function noteAgent({ record: { agents }, find, touch }: RunBook, event: SessionEvent): boolean {
  switch (event.type) {
    case "subagent.started": {
      const { agentId, agentName, description, mode, parentId, team, toolCallId } = event.data;
      if (agents.size >= MOST.agents) return false;
      agents.set(agentId, {
        ...newAgent(agentId, cutCopy(agentName, MOST.name), parentId, event.at),
        ...{ description: cutCopy(description, LONGEST_TASK), mode, team },
      });
      const placed = find(toolCallId);
      if (placed === null) return true;
      placed.call.agent = agentId;
      touch(placed.entry);
      return true;
    }
    case "subagent.completed":
    case "subagent.failed": {
      const agent = agents.get(event.data.agentId);
      if (agent === undefined) return false;
      agent.ended = event.at;
      agent.state = event.type === "subagent.failed" ? "failed" : "done";
      agent.error = event.type === "subagent.failed" ? cutCopy(event.data.error, LONGEST_ERROR) : null;
      return true;
    }
    default:
      return false;
  }
}

/** What ends a run, and other notes for people. */
function noteEnd({ record, remark }: RunBook, event: SessionEvent): boolean {
  switch (event.type) {
    case "abort":
      return remark(event, "stopped", "warn");
    case "session.error":
      if (event.agent === null) record.error = cutCopy(event.data.message, LONGEST_ERROR);
      return remark(event, event.data.message, "bad");
    case "session.warning":
      return remark(event, event.data.text, "warn");
    case "session.mode_changed":
      return remark(event, `The mode is ${event.data.newMode} now.`);
    case "session.compaction_complete":
      return event.data.success && remark(event, "The older part of the conversation was shortened.");
    case "session.task_complete":
      return remark(event, event.data.summary);
    case "session.idle": {
      if (event.agent !== null) return false;
      record.isRunning = false;
      record.stopReason = event.data.stopReason;
      const own = record.agents.get(null);
      if (own !== undefined) own.state = event.data.stopReason === "error" ? "failed" : "done";
      return true;
    }
    default:
      return false;
  }
}
