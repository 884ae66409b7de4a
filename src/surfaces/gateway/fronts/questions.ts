import { randomUUID } from "node:crypto";
import type { PeerAnswer, PeerClient } from "../../../sources/peer.ts";
import type { SharedQuestions } from "../shared/shared-questions.ts";
import { type Incoming, writeNotification, writeRequest } from "../wire/json-rpc.ts";
import { type NamedQuestion, nameAsker } from "../wire/name-asker.ts";
import type { Outlet } from "../wire/outlet.ts";
import { ERROR } from "../wire/protocol.ts";
import { isStoreAway, UNASKED } from "../wire/store-away.ts";

type Response = Extract<Incoming, { kind: "response" }>;

/** Questions to one client of the older protocol that wait for its answers. */
export interface ClientQuestions {
  readonly areThereAny: boolean;
  ask(outlet: Outlet, ...given: Parameters<PeerClient["ask"]>): ReturnType<PeerClient["ask"]>;
  /** False if it was not asked from here. */
  settle(response: Response): boolean;
  close(): void;
}

const UNREACHABLE: PeerAnswer = { kind: "error", code: ERROR.server, message: "The client cannot be asked now." };
const GONE: PeerAnswer = { kind: "error", code: ERROR.server, message: "The client has gone." };

/** With `shared`, other machines may get the answers. */
export function createClientQuestions(session: string, shared: SharedQuestions | null): ClientQuestions {
  const open = new Map<string, (answer: PeerAnswer) => void>();
  let last = 0;

  const put = (
    outlet: Outlet,
    id: string,
    { method, params }: NamedQuestion,
    signal: AbortSignal,
  ): Promise<PeerAnswer> =>
    new Promise((resolve, reject) => {
      const onAbort = (): void => {
        open.delete(id);
        outlet.send(writeNotification("notifications/cancelled", { requestId: id, reason: "no longer needed" }));
        reject(signal.reason);
      };
      open.set(id, (answer) => {
        open.delete(id);
        signal.removeEventListener("abort", onAbort);
        resolve(answer);
      });
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      else
        void sendStored(outlet, writeRequest(id, method, { ...params })).then((isSent) => {
          if (!isSent) open.get(id)?.(UNREACHABLE);
        });
    });

  const putShared = async (
    store: SharedQuestions,
    ...[outlet, id, question, signal]: Parameters<typeof put>
  ): Promise<PeerAnswer> => {
    try {
      await store.open(session, id, question.method);
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      return UNASKED;
    }
    const over = new AbortController();
    const elsewhere = store.answerTo(session, id, AbortSignal.any([signal, over.signal]));
    elsewhere.then(
      (answer) => open.get(id)?.(answer ?? GONE),
      () => {},
    );
    try {
      return await put(outlet, id, question, signal);
    } finally {
      over.abort();
      store.close(session, id).catch(() => {}); // Nobody answers a question that nobody waits for, and rows expire.
    }
  };

  return {
    get areThereAny() {
      return open.size > 0;
    },
    async ask(outlet, questions, signal) {
      const asked = [...questions].map(async ([key, question]) => {
        last += 1;
        const named = nameAsker(question);
        if (shared === null) return [key, await put(outlet, `toolcrib-${last}`, named, signal)] as const;
        return [key, await putShared(shared, outlet, `toolcrib-${randomUUID()}`, named, signal)] as const;
      });
      return new Map(await Promise.all(asked));
    },
    settle({ id, answer }) {
      const settle = typeof id === "string" ? open.get(id) : undefined;
      settle?.(answer);
      return settle !== undefined;
    },
    close() {
      for (const settle of [...open.values()]) settle(GONE);
    },
  };
}

async function sendStored(outlet: Outlet, text: string): Promise<boolean> {
  return outlet.sendStored === undefined ? outlet.send(text) : outlet.sendStored(text);
}
