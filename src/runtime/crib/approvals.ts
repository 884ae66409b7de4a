import { randomUUID } from "node:crypto";
import { createChangeListeners } from "../../sources/parts/change-listeners.ts";
import type { PermissionAnswer } from "../permissions/permission-request.ts";
import type { ApprovalQueue, AskedAs, AskedFor, PendingApproval } from "./crib.ts";

interface Waiting {
  readonly approval: PendingApproval;
  readonly settle: (answer: PermissionAnswer) => void;
}

/** Questions beyond this many are refused: nobody would ever read them. */
const MOST_PENDING = 1_000;

export interface LocalApprovals extends ApprovalQueue {
  /** Refuses everything that still waits. */
  close(): void;
}

export function createApprovals(now: () => number = Date.now): LocalApprovals {
  const waiting = new Map<string, Waiting>();
  const listeners = createChangeListeners();
  let closed = false;
  const take = (id: string): Waiting | undefined => {
    const found = waiting.get(id);
    if (waiting.delete(id)) listeners.emit();
    return found;
  };
  return {
    get pending() {
      return [...waiting.values()].map(({ approval }) => approval);
    },
    ask(request, from, signal, asked = { id: randomUUID() }) {
      const { id } = asked;
      if (signal.aborted) return Promise.reject(signal.reason);
      if (closed) return Promise.resolve(ENDING);
      if (waiting.size >= MOST_PENDING) return Promise.resolve(refusal("too many calls wait for an answer already"));
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          stop();
          take(id);
          reject(signal.reason);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        const approval = { ...toAsked(from, asked, now()), id, machine: null, request };
        const stop = atEnd(approval.until, now, () => take(id)?.settle(UNANSWERED));
        const settle = (answer: PermissionAnswer): void => {
          stop();
          signal.removeEventListener("abort", onAbort);
          resolve(answer);
        };
        waiting.set(id, { approval, settle });
        listeners.emit();
      });
    },
    find: async (id) => [...waiting.values()].find(({ approval }) => isNamed(approval, id))?.approval ?? null,
    async answer(id, answer) {
      const found = take(id);
      found?.settle(answer);
      return found !== undefined;
    },
    changes: listeners.add,
    close() {
      closed = true;
      for (const id of [...waiting.keys()]) take(id)?.settle(ENDING);
      listeners.clear();
    },
  };
}

/** What is known of a question when it is asked, and later on every machine. */
export function toAsked(
  { client, caller = null, fourEyes = false, expires = null }: AskedFor,
  { id, root = id, since }: AskedAs,
  now: number,
): Omit<PendingApproval, "id" | "machine" | "request"> {
  const asked = since ?? now;
  return {
    ...{ root, since: asked, until: expires === null ? null : asked + expires, client, fourEyes },
    caller: caller && { issuer: caller.issuer, subject: caller.subject, name: caller.name },
  };
}

/** Whether that is one of its ids. */
export function isNamed({ id, root }: Pick<PendingApproval, "id" | "root">, name: string): boolean {
  return id === name || root === name;
}

const LONGEST_TIMER = 2 ** 31 - 1;

/** Does it at that time; returns how to stop. */
function atEnd(until: number | null, now: () => number, end: () => void): () => void {
  if (until === null) return () => {};
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const left = until - now();
    timer = setTimeout(() => (left > LONGEST_TIMER ? wait() : end()), Math.min(Math.max(left, 0), LONGEST_TIMER));
    timer.unref();
  };
  wait();
  return () => clearTimeout(timer);
}

/** The reason for ending a question that another machine takes over. */
export const LEFT_TO_OTHERS = new Error("this machine ends, and the call waits for another one");

export function refusal(reason: string): PermissionAnswer {
  return { decision: "deny", reason, by: "Toolcrib" };
}

export const UNANSWERED = refusal("nobody answered in the time there was for it");
export const ENDING = refusal("Toolcrib is shutting down");
