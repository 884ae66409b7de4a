import type { PeerAnswer, PeerClient } from "../../sources/peer.ts";
import { type Incoming, writeNotification, writeRequest } from "./json-rpc.ts";
import { type NamedQuestion, nameAsker } from "./name-asker.ts";
import type { Outlet } from "./outlet.ts";
import { ERROR } from "./protocol.ts";

type Response = Extract<Incoming, { kind: "response" }>;

/** Questions to one client of the older protocol that wait for its answers. */
export interface ClientQuestions {
  ask(outlet: Outlet, ...given: Parameters<PeerClient["ask"]>): ReturnType<PeerClient["ask"]>;
  settle(response: Response): void;
  close(): void;
}

const UNREACHABLE: PeerAnswer = { kind: "error", code: ERROR.server, message: "The client cannot be asked now." };
const GONE: PeerAnswer = { kind: "error", code: ERROR.server, message: "The client has gone." };

export function createQuestions(): ClientQuestions {
  const open = new Map<string, (answer: PeerAnswer) => void>();
  let last = 0;

  const put = (outlet: Outlet, { method, params }: NamedQuestion, signal: AbortSignal): Promise<PeerAnswer> => {
    last += 1;
    const id = `toolcrib-${last}`;
    return new Promise((resolve, reject) => {
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
      else if (!outlet.send(writeRequest(id, method, { ...params }))) open.get(id)?.(UNREACHABLE);
    });
  };

  return {
    async ask(outlet, questions, signal) {
      const asked = [...questions].map(
        async ([key, question]) => [key, await put(outlet, nameAsker(question), signal)] as const,
      );
      return new Map(await Promise.all(asked));
    },
    settle({ id, answer }) {
      if (typeof id === "string") open.get(id)?.(answer);
    },
    close() {
      for (const settle of [...open.values()]) settle(GONE);
    },
  };
}
