import { endCut } from "../../core/events/close-cut.ts";
import type { StoredOptions } from "../../core/events/state-events.ts";
import { readVersion } from "../../system/version.ts";
import type { Emitter } from "../events/emitter.ts";
import type { KeptSession } from "./kept-session.ts";
import type { OpenSession } from "./session.ts";
import type { SessionSetting } from "./setting.ts";
import type { EarlierTalk } from "./talk.ts";

/** The first events of a stored session, and what ends the calls that its last process left open. */
export function beginKept(
  { past, state, recorder }: KeptSession,
  options: StoredOptions,
  session: OpenSession,
  tell: Emitter["emit"],
): EarlierTalk {
  recorder.fenced.addEventListener("abort", () => void session.close(), { once: true });
  tell(state.seq === 0 ? "session.started" : "session.resumed", { version: readVersion(), options });
  const { ended, waiting, answers } = endCut(state, past);
  for (const completion of ended) tell("tool.execution_complete", completion);
  return {
    past,
    goOn() {
      for (const completion of waiting) tell("tool.execution_complete", completion);
      if (answers.length > 0) tell("tool.answers", { answers });
    },
  };
}

/** What a session's setting has of its journal. */
export function toStoredParts({
  recorder,
  firstAnswer,
  state,
}: KeptSession): Pick<SessionSetting, "recorder" | "firstAnswer" | "grants"> {
  return { recorder, firstAnswer, grants: [...state.grants.values()] };
}
