import { toNotification } from "../../core/agent/between-agents.ts";
import { endCut, endUnanswered, findAnswers, findCutRun } from "../../core/events/close-cut.ts";
import type { KnownEvent } from "../../core/events/envelope.ts";
import type { SessionEvents } from "../../core/events/event-types.ts";
import type { StoredOptions } from "../../core/events/state-events.ts";
import { readVersion } from "../../system/version.ts";
import { describeEnd } from "../agents/describe-end.ts";
import type { Emitter } from "../events/emitter.ts";
import { callAgain } from "./call-again.ts";
import type { KeptSession } from "./kept-session.ts";
import type { OpenSession } from "./session.ts";
import type { SessionSetting } from "./setting.ts";
import type { EarlierTalk } from "./talk.ts";

/** The first events of a stored session, and what becomes of the calls that its last process left open. */
export function beginKept(
  kept: KeptSession,
  options: StoredOptions,
  session: OpenSession,
  tell: Emitter["emit"],
): EarlierTalk {
  const { past, state, recorder } = kept;
  recorder.fenced.addEventListener("abort", () => void session.close(), { once: true });
  tell(state.seq === 0 ? "session.started" : "session.resumed", { version: readVersion(), options });
  const { ended, waiting, withdrawn } = endCut(state, past);
  const since: KnownEvent[] = [];
  session.live((event) => {
    if (event.type === "tool.execution_complete" && !isOver) since.push(event);
  });
  let isOver = false;
  for (const completion of ended) tell("tool.execution_complete", completion);
  const cut = findCutAgents(past);
  for (const { mode: _, ...about } of cut) tell("subagent.failed", { ...about, error: AGENT_CUT }, about.agentId);
  for (const requestId of withdrawn) tell("elicitation.completed", { requestId, by: null });
  // What reads long results is among its tools from the start.
  if (state.results.size > 0) void session.calls();
  const again = callAgain(waiting, session, kept);
  return {
    past,
    history: state.history,
    cutRun: findCutRun(past),
    suspend: kept.suspend,
    async goOn(signal) {
      if (isOver) return;
      await (signal === null ? again.giveUp() : again.over(signal));
      for (const call of again.missing) tell("tool.execution_complete", endUnanswered(call));
      const answers = findAnswers([...past, ...since]);
      if (answers.length > 0) tell("tool.answers", { answers });
      for (const { agentId, agentName, mode } of cut)
        if (mode === "background") tell(...toCutNotice(agentId, agentName));
      isOver = true;
    },
  };
}

const AGENT_CUT = "interrupted: the process in which it worked ended";

/** Agents that worked when the process ended, and will not go on. */
function findCutAgents(past: readonly KnownEvent[]) {
  const open = new Map<string, SubagentNames & { readonly mode: "wait" | "background" }>();
  for (const event of past) {
    if (event.type === "subagent.started") {
      const { agentId, agentName, toolCallId, mode } = event.data;
      open.set(agentId, { agentId, agentName, toolCallId, mode });
    } else if (event.type === "subagent.completed" || event.type === "subagent.failed") open.delete(event.data.agentId);
  }
  return [...open.values()];
}

type SubagentNames = Pick<SessionEvents["subagent.started"], "agentId" | "agentName" | "toolCallId">;

/** Whoever started one in the background still waits to hear of it. */
function toCutNotice(agentId: string, agentType: string) {
  const kind = { type: "agent_completed", agentId, agentType, status: "failed" } as const;
  const content = toNotification(`${describeEnd(kind)} The process in which it worked ended.`);
  return ["system.notification", { messageId: `cut-${agentId}`, content, kind }] as const;
}

/** What a session's setting has of its journal. */
export function toStoredParts({
  recorder,
  state,
  loadPart,
}: KeptSession): Pick<SessionSetting, "recorder" | "grants" | "toldTools" | "results"> {
  const results = { earlier: state.results, load: loadPart };
  return { recorder, grants: [...state.grants.values()], toldTools: state.tools, results };
}
