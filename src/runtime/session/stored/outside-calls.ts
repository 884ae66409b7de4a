import { createExternalSource, type ExternalSource } from "../../../sources/external/external-source.ts";
import type { CallManner } from "../../../sources/source.ts";
import type { Surroundings } from "../../../system/surroundings.ts";
import type { Emitter } from "../../events/emitter.ts";
import { shareSignal } from "../../executor/given-signal.ts";
import { createOrderedIds } from "./ordered-id.ts";
import type { SessionJournal } from "./session-journal.ts";

/** Tools that are answered outside. What a stored session asks there can be answered in any process (S4). */
export function createOutsideCalls(
  surroundings: Surroundings,
  kept: SessionJournal | null,
  tell: Emitter["emit"],
  manner?: CallManner,
): ExternalSource {
  const newId = createOrderedIds(surroundings);
  const closed = new AbortController();
  shareSignal(closed.signal);
  const source = createExternalSource({
    ...(manner === undefined ? {} : { manner }),
    newId: (toolCallId) => kept?.questions.askedBefore("external_tool", toolCallId) ?? newId(),
    onRequested(request) {
      tell("external_tool.requested", request);
      void kept?.answerTo(request.requestId, closed.signal).then(
        (found) => found !== null && source.answer(request.requestId, found.answer),
        () => {}, // The session ends, or its owner answers here.
      );
    },
    onCompleted: (completion) => tell("external_tool.completed", completion),
  });
  if (kept === null) return source;
  return {
    ...source,
    get tools() {
      return source.tools ?? [];
    },
    answer(requestId, result) {
      if (!source.isWaiting(requestId)) return false;
      const settle = (): void => void source.answer(requestId, result);
      // Where somebody was first elsewhere, that answer is on its way here.
      kept.answer(requestId, result, "the owner").then((isFirst) => isFirst && settle(), settle);
      return true;
    },
    async close() {
      closed.abort();
      await source.close();
    },
  };
}
