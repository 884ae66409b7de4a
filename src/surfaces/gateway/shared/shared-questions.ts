import type { SharedStore } from "../../../runtime/store/late-store.ts";
import type { PeerAnswer } from "../../../sources/peer.ts";

/** Questions to clients; any machine may get the answer. */
export interface SharedQuestions {
  /** Stored before it is asked, or the answer might arrive where nobody knows about it. */
  open(session: string, id: string, method: string): Promise<void>;
  /** Null if it was closed. */
  answerTo(session: string, id: string, signal: AbortSignal): Promise<PeerAnswer | null>;
  /** Only the session that was asked can answer. */
  answer(session: string, id: string, answer: PeerAnswer): Promise<void>;
  close(session: string, id: string): Promise<void>;
}

export function createSharedQuestions(store: SharedStore, scope: string): SharedQuestions {
  const place = `gateway:${scope}:questions`;
  const toId = (session: string, id: string): string => `${session}/${id}`;
  return {
    open: (session, id, method) =>
      store.ask(place, {
        asked: [{ id: toId(session, id), kind: "elicitation", asked: { method, machine: store.machine } }],
      }),
    async answerTo(session, id, signal) {
      const found = await store.answerTo(toId(session, id), signal);
      return found === null ? null : (found.answer as PeerAnswer); // As `answer` stored it.
    },
    async answer(session, id, answer) {
      await store.answer(toId(session, id), answer, "the client");
    },
    close: (session, id) => store.ask(place, { closed: [toId(session, id)] }),
  };
}
