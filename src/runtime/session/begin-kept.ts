import { endCut, endUnanswered, findAnswers, findCutRun } from "../../core/events/close-cut.ts";
import type { KnownEvent } from "../../core/events/envelope.ts";
import type { StoredOptions } from "../../core/events/state-events.ts";
import { readVersion } from "../../system/version.ts";
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
      isOver = true;
    },
  };
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
