import { randomUUID } from "node:crypto";
import { createChangeListeners } from "../../sources/parts/change-listeners.ts";
import type { PermissionAnswer } from "../permissions/permission-request.ts";
import type { Approvals, PendingApproval } from "./crib.ts";

interface Waiting {
  readonly approval: PendingApproval;
  readonly settle: (answer: PermissionAnswer) => void;
}

/** Questions beyond this many are refused: nobody would ever read them. */
const MOST_PENDING = 1_000;

export interface LocalApprovals extends Approvals {
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
    ask(request, client, signal, { id } = { id: randomUUID() }) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (closed) return Promise.resolve(ENDING);
      if (waiting.size >= MOST_PENDING) return Promise.resolve(refusal("too many calls wait for an answer already"));
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          take(id);
          reject(signal.reason);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        const settle = (answer: PermissionAnswer): void => {
          signal.removeEventListener("abort", onAbort);
          resolve(answer);
        };
        waiting.set(id, { approval: { id, since: now(), client, machine: null, request }, settle });
        listeners.emit();
      });
    },
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

/** The reason for ending a question that another machine takes over. */
export const LEFT_TO_OTHERS = new Error("this machine ends, and the call waits for another one");

export function refusal(reason: string): PermissionAnswer {
  return { decision: "deny", reason, by: "Toolcrib" };
}

export const ENDING = refusal("Toolcrib is shutting down");
