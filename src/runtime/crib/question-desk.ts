import { randomUUID } from "node:crypto";
import { createChangeListeners } from "../../sources/parts/change-listeners.ts";
import type { ElicitationRequest } from "../session/sources/elicitation.ts";

/** A run's question to a person, other than whether a call may run. */
type PersonQuestion =
  | { readonly kind: "user_input"; readonly question: string; readonly choices: readonly string[] }
  | { readonly kind: "plan"; readonly plan: string }
  | { readonly kind: "elicitation"; readonly request: ElicitationRequest };

export interface PendingQuestion {
  readonly id: string;
  readonly session: string;
  /** The name of the one that asks, for people. */
  readonly client: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly asked: PersonQuestion;
}

/** Questions that wait for a person, and how to answer them. */
export interface QuestionDesk {
  /** Oldest first. */
  readonly pending: readonly PendingQuestion[];
  /** Rejects when the signal is aborted; later answers are too late. */
  ask(from: Pick<PendingQuestion, "session" | "client">, asked: PersonQuestion, signal: AbortSignal): Promise<unknown>;
  /** The first answer counts. False if nobody waits under that id any longer. */
  answer(id: string, answer: unknown): boolean;
  changes(listener: () => void): () => void;
}

/** Questions beyond this many are refused: nobody would ever read them. */
const MOST_PENDING = 1_000;

export function createQuestionDesk(now: () => number = Date.now): QuestionDesk {
  const waiting = new Map<string, { readonly question: PendingQuestion; readonly settle: (answer: unknown) => void }>();
  const listeners = createChangeListeners();
  const drop = (id: string): void => {
    if (waiting.delete(id)) listeners.emit();
  };
  return {
    get pending() {
      return [...waiting.values()].map(({ question }) => question);
    },
    ask({ session, client }, asked, signal) {
      if (waiting.size >= MOST_PENDING)
        return Promise.reject(new Error("too many questions wait for an answer already"));
      return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const id = randomUUID();
        const onAbort = (): void => {
          drop(id);
          reject(signal.reason);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        const settle = (answer: unknown): void => {
          signal.removeEventListener("abort", onAbort);
          resolve(answer);
        };
        waiting.set(id, { question: { id, session, client, since: now(), asked }, settle });
        listeners.emit();
      });
    },
    answer(id, answer) {
      const found = waiting.get(id);
      drop(id);
      found?.settle(answer);
      return found !== undefined;
    },
    changes: listeners.add,
  };
}
