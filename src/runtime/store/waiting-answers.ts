import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Clock, Timer } from "../../system/time/clock.ts";
import type { BackEnd } from "./back-end.ts";
import type { StoredAnswer } from "./store.ts";

/** Waiters for answers that anybody may give, in any process (S4). */
export interface WaitingAnswers {
  answerTo(questionId: string, signal: AbortSignal): Promise<StoredAnswer | null>;
  /** The answer that counts, if it was given in this process. */
  answered(questionId: string, answer: string, by: string): void;
  /** Checks whether any of these questions was answered; null: every question that somebody waits for. */
  look(questionIds: readonly string[] | null): void;
  /** Ends all waiting. */
  close(): void;
}

interface Found {
  /** As JSON. */
  readonly answer: string;
  readonly by: string;
}

interface Waiter {
  settle(answer: StoredAnswer | null): void;
  fail(error: unknown): void;
}

/** Milliseconds until the first check, if the store is polled: most answers have arrived by then. */
const FIRST_LOOK = 20;

export function createWaitingAnswers(backEnd: BackEnd, clock: Clock): WaitingAnswers {
  const waiting = new Map<string, Set<Waiter>>();
  /** Questions that have not been checked yet; the first check is immediate. */
  const fresh: string[] = [];
  let timer: Timer = null;
  const settle = (id: string, found: Found | null): void => {
    const waiters = waiting.get(id);
    if (waiters === undefined) return;
    waiting.delete(id);
    for (const waiter of waiters) waiter.settle(found && { answer: JSON.parse(found.answer), by: found.by });
  };
  const check = async (ids: readonly string[]): Promise<void> => {
    for (const [id, found] of await backEnd.answers(ids)) settle(id, found);
  };
  // An unreachable store is ignored: the next check tries again.
  const look = (ids: Iterable<string>): void => {
    const awaited = [...ids].filter((id) => waiting.has(id));
    if (awaited.length > 0) void check(awaited).catch(() => {});
  };
  const { pollEvery } = backEnd;
  const soon = (work: () => void): void =>
    void (pollEvery === null ? setImmediate(work) : clock.setTimeout(work, FIRST_LOOK));
  const poll = (): void => {
    if (timer !== null || waiting.size === 0 || pollEvery === null) return;
    timer = clock.setTimeout(() => {
      timer = null;
      void check([...waiting.keys()])
        .catch(() => {})
        .then(poll);
    }, pollEvery);
  };
  return {
    answerTo: (id, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const stop = (): void => {
          const waiters = waiting.get(id);
          waiters?.delete(waiter);
          if (waiters?.size === 0) waiting.delete(id);
          reject(signal.reason);
        };
        const waiter: Waiter = {
          settle(answer) {
            signal.removeEventListener("abort", stop);
            resolve(answer);
          },
          fail: reject,
        };
        waiting.set(id, (waiting.get(id) ?? new Set()).add(waiter));
        signal.addEventListener("abort", stop, { once: true });
        if (fresh.length === 0) soon(() => look(fresh.splice(0)));
        fresh.push(id);
        poll();
      }),
    answered: (id, answer, by) => settle(id, { answer, by }),
    look: (ids) => look(ids ?? waiting.keys()),
    close() {
      clock.clearTimeout(timer);
      const closed = new ToolcribError("store.unavailable", "the store was closed while an answer was waited for");
      for (const waiters of waiting.values()) for (const waiter of waiters) waiter.fail(closed);
      waiting.clear();
    },
  };
}
