import { toNotification } from "../../../core/agent/between-agents.ts";
import { endCut, endUnanswered, findAnswers, findCutRun } from "../../../core/events/close-cut.ts";
import type { KnownEvent } from "../../../core/events/envelope.ts";
import type { SessionEvents } from "../../../core/events/event-types.ts";
import type { StoredOptions } from "../../../core/events/state-events.ts";
import { readVersion } from "../../../system/version.ts";
import { describeEnd } from "../../agents/describe-end.ts";
import { AGENT_CUT, type EarlierAgent, findEarlierAgents, isOwed } from "../../agents/earlier-agents.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { SessionJournal } from "../stored/session-journal.ts";
import type { OpenSession } from "../tools/session.ts";
import { callAgain } from "./call-again.ts";
import type { EarlierConversation } from "./conversation.ts";

/** How what was left open ends. */
interface Ending {
  /** Closes calls that waited for somebody. */
  readonly abandon?: boolean | undefined;
  /** What a model reads about the end of an agent. */
  readonly describe?: typeof describeEnd | undefined;
}

/** The first events of a stored session, and what becomes of the calls that its last process left open. */
export function beginJournal(
  kept: SessionJournal,
  options: StoredOptions,
  session: OpenSession,
  tell: Emitter["emit"],
  { abandon = false, describe = describeEnd }: Ending = {},
): EarlierConversation {
  const { past, state, recorder } = kept;
  recorder.fenced.addEventListener("abort", () => void session.close(), { once: true });
  tell(state.seq === 0 ? "session.started" : "session.resumed", { version: readVersion(), options });
  const { ended, waiting, withdrawn } = endCut(state, past, abandon);
  const since: KnownEvent[] = [];
  session.live((event) => {
    if (event.type === "tool.execution_complete" && !isOver) since.push(event);
  });
  let isOver = false;
  for (const completion of ended) tell("tool.execution_complete", completion);
  const agents = [...findEarlierAgents(past).values()];
  for (const { started, end } of agents) {
    const { agentId, agentName, toolCallId } = started;
    if (end === null) tell("subagent.failed", { agentId, agentName, toolCallId, error: AGENT_CUT }, agentId);
  }
  const notices = agents.filter(isOwed).map((agent) => toNotice(agent, describe));
  for (const requestId of withdrawn) tell("elicitation.completed", { requestId, by: null });
  // What reads long results is among its tools from the start.
  if (state.results.size > 0) void session.calls();
  const again = callAgain(waiting, session, kept);
  return {
    past,
    history: state.history,
    cutRun: findCutRun(past) ?? toReader(notices.at(-1)),
    suspend: kept.suspend,
    async goOn(signal) {
      if (isOver) return;
      await (signal === null ? again.giveUp() : again.over(signal));
      for (const call of again.missing) tell("tool.execution_complete", endUnanswered(call));
      const answers = findAnswers([...past, ...since]);
      if (answers.length > 0) tell("tool.answers", { answers });
      for (const notice of notices) tell("system.notification", notice);
      isOver = true;
    },
  };
}

function toNotice(
  { started: { agentId, agentName }, end }: EarlierAgent,
  describe: typeof describeEnd,
): SessionEvents["system.notification"] {
  const status = end === "completed" ? "completed" : "failed";
  const kind = { type: "agent_completed", agentId, agentType: agentName, status } as const;
  const why = status === "failed" ? " The process in which it worked ended." : "";
  return { messageId: `cut-${agentId}`, content: toNotification(`${describe(kind)}${why}`), kind };
}

/** What a run is for that was never begun, because the session's agent had nothing to do until then. */
function toReader(notice: SessionEvents["system.notification"] | undefined): EarlierConversation["cutRun"] {
  return notice === undefined ? null : { messageId: notice.messageId, content: [], source: "notification" };
}
