import type { KnownEvent } from "../../core/events/envelope.ts";
import type { SessionEvents } from "../../core/events/event-types.ts";
import type { AgentReport } from "../../sources/agents-port.ts";

/** The error of an agent that was working when its process ended. */
export const AGENT_CUT = "interrupted: the process in which it worked ended";

/** An agent that an earlier process started, and how it ended. */
export interface EarlierAgent {
  readonly started: SessionEvents["subagent.started"];
  readonly began: number;
  prompt: string;
  ended: number;
  turns: number;
  /** Its last message, or why it failed. */
  text: string;
  /** Null: it was still working when the process ended, and will not continue. */
  end: "completed" | "failed" | "cut" | null;
  /** Its end was reported to the one that started it. */
  isTold: boolean;
}

export function findEarlierAgents(past: readonly KnownEvent[]): ReadonlyMap<string, EarlierAgent> {
  const found = new Map<string, EarlierAgent>();
  for (const event of past) {
    const { type, data, at } = event;
    if (type === "subagent.started")
      found.set(data.agentId, {
        ...{ started: data, began: at, prompt: "", ended: at, turns: 0, text: AGENT_CUT, end: null, isTold: false },
      });
    const agent = found.get(type === "system.notification" ? data.kind.agentId : (event.agent ?? ""));
    if (agent === undefined) continue;
    if (type === "system.notification") agent.isTold = true;
    else agent.ended = at;
    if (type === "assistant.turn_start") agent.turns += 1;
    if (type === "user.message" && data.source === "agent") agent.prompt = textIn(data.content);
    if (type === "assistant.message") agent.text = textIn(data.content);
    if (type === "subagent.completed") agent.end = "completed";
    if (type === "subagent.failed") {
      agent.end = data.error === AGENT_CUT ? "cut" : "failed";
      agent.text = data.error;
    }
  }
  return found;
}

function textIn(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : [])).join("");
}

export function toEarlierReport({ started, began, prompt, ended, turns, text, end }: EarlierAgent): AgentReport {
  const { agentId: id, agentName: agent, description, parentId: parent, team, toolCallId, mode } = started;
  const isDone = end === "completed";
  const shown = isDone || end === "failed" ? text : AGENT_CUT;
  return {
    ...{ id, agent, description, parent, team, toolCallId, prompt, mode, began },
    status: isDone ? "completed" : "failed",
    elapsed: ended - began,
    turns,
    text: shown,
  };
}

/**
 * Whether the end of a background agent must still be reported (B4). One that failed may have been stopped, and a child
 * of another agent has reported to that one.
 */
export function isOwed({ started: { mode, parentId }, end, isTold }: EarlierAgent): boolean {
  if (mode !== "background" || isTold || end === "failed") return false;
  return end !== "completed" || parentId === null;
}
