import type { SessionEvent } from "../../../core/events/envelope.ts";
import { cutCopy, toShown } from "../api/shown-value.ts";
import type { NotedCall } from "./run-parts.ts";
import type { RunBook } from "./run-record.ts";

const ARGUMENTS = { characters: 2_000, values: 100 } as const;
const LONGEST_RESULT = 2_000;
const LONGEST_PROGRESS = 200;

/** Calls under the request that made them, calls of code under the run of that code. */
export function noteCall(book: RunBook, event: SessionEvent): boolean {
  const { open, find, touch } = book;
  switch (event.type) {
    case "tool.execution_start": {
      const { toolCallId, toolName, parentToolCallId, codeLine } = event.data;
      const placed = open(event, toolCallId, toolName, parentToolCallId);
      if (placed === null) return true;
      placed.call.line = codeLine?.line ?? null;
      touch(placed.entry, giveArguments(placed.call, event.data.arguments));
      return true;
    }
    case "permission.requested":
      return setState(book, event, "waiting");
    case "permission.completed":
      return find(event.data.toolCallId)?.call.state === "waiting" && setState(book, event, "judging");
    case "tool.running":
    // The stored form of a call that only asks somebody outside.
    case "external_tool.requested":
      return setState(book, event, "running");
    case "tool.execution_progress": {
      const { toolCallId, progressMessage, progress, total } = event.data;
      const placed = find(toolCallId);
      if (placed === null) return false;
      const share = progress === null ? null : `${progress}${total === null ? "" : ` of ${total}`}`;
      placed.call.progress = cutCopy([progressMessage, share].filter(Boolean).join(" · "), LONGEST_PROGRESS);
      touch(placed.entry);
      return true;
    }
    case "tool.execution_complete": {
      const { toolCallId, toolName, resultType, content, duration } = event.data;
      const placed = open(event, toolCallId, toolName);
      if (placed === null) return true;
      const { call, entry } = placed;
      // A refused call never started, and people want to know what it would have been.
      const more = call.arguments === null ? giveArguments(call, event.data.arguments) : 0;
      const result = cutCopy(content, LONGEST_RESULT);
      Object.assign(call, { state: resultType, duration, result, progress: null });
      touch(entry, more + result.length);
      return true;
    }
    default:
      return false;
  }
}

type Judged = Extract<
  SessionEvent,
  {
    readonly type: "permission.requested" | "permission.completed" | "tool.running" | "external_tool.requested";
  }
>;

function setState({ open }: RunBook, event: Judged, state: string): true {
  const placed = open(event, event.data.toolCallId, event.data.toolName);
  if (placed !== null) placed.call.state = state;
  return true;
}

/** Returns how many characters they take. */
function giveArguments(call: NotedCall, given: unknown): number {
  call.arguments = toShown(given, ARGUMENTS);
  return Math.min(ARGUMENTS.characters, JSON.stringify(call.arguments)?.length ?? 0);
}
