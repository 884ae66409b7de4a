import { randomUUID } from "node:crypto";
import type { SharedStore } from "../../../runtime/store/late-store.ts";
import type { FeedMessage } from "../../../runtime/store/store.ts";
import type { HttpReply } from "../http-reply.ts";
import { type IncomingRequest, type RequestId, refuse, writeAnswer } from "../json-rpc.ts";
import { ERROR } from "../protocol.ts";
import type { Machines } from "./machines.ts";
import { createStoredReply } from "./stored-reply.ts";
import { type StreamMessage, toStreamMessage } from "./stream-message.ts";

/** Answers that became streams: a client whose connection broke goes on where it was, on any machine (M2). */
export interface StoredStreams {
  /** The reply to a request, stored from when it becomes a stream; until then it costs nothing. */
  keep(reply: HttpReply, session: string, request: IncomingRequest, primes: boolean): HttpReply;
  /** Goes on with the stream that the client names; false where it is none of this session's. */
  resume(session: string, lastEventId: string, reply: HttpReply): Promise<boolean>;
  /** Waits until everything is stored. */
  close(): Promise<void>;
}

export interface StreamPorts {
  readonly store: SharedStore;
  readonly scope: string;
  readonly machines: Machines;
  /** Milliseconds that a client has to come back. */
  readonly window: () => number;
}

const EVENT_ID = /^([0-9a-f-]{36})_(\d{1,16})$/;
/** Milliseconds between looks whether the machine that works on it lives. */
const LOOK = 2_000;

export function createStoredStreams(ports: StreamPorts): StoredStreams {
  const { store, scope, machines } = ports;
  const feedOf = (stream: string): string => `gateway:${scope}:stream:${stream}`;
  const pending = new Set<Promise<unknown>>();
  const post = (stream: string, message: StreamMessage, after?: number): Promise<number | null> => {
    const work = store.post(feedOf(stream), message, after).finally(() => pending.delete(work));
    pending.add(work);
    return work;
  };
  return {
    keep(reply, session, { id, method }, primes) {
      const stream = randomUUID();
      return createStoredReply(reply, {
        ...{ stream, primes, window: ports.window() },
        head: { kind: "head", session, machine: machines.self, id, method },
        post: (message) => post(stream, message),
        follow: (after, heard) => store.follow(feedOf(stream), after, heard),
      });
    },
    async resume(session, lastEventId, reply) {
      const [, stream, seq] = EVENT_ID.exec(lastEventId) ?? [];
      if (stream === undefined) return false;
      const told = await store.messages(feedOf(stream), 0);
      const head = told.map(toStreamMessage).find((message) => message?.kind === "head");
      if (head?.kind !== "head" || head.session !== session || !reply.open()) return false;
      let last = told.at(-1)?.seq ?? 0;
      const take = ({ seq: at, message }: FeedMessage): boolean => {
        last = at;
        const found = toStreamMessage({ seq: at, message });
        if (found?.kind !== "event" && found?.kind !== "answer") return false;
        if (at > Number(seq)) reply.send(found.text, `${stream}_${at}`);
        if (found.kind === "answer") reply.finish();
        return found.kind === "answer";
      };
      if (told.some(take)) return true;
      await post(stream, { kind: "back" });
      const look = setInterval(() => {
        const giveUp = async (): Promise<void> => {
          if (await machines.lives(head.machine)) return;
          // Unless it was answered after all.
          await post(stream, { kind: "answer", text: toInterrupted(head.id, head.method) }, last);
        };
        giveUp().catch(() => {}); // Away: the next look will do.
      }, LOOK);
      const stop = store.follow(feedOf(stream), last, (message) => void take(message));
      reply.onOver(() => {
        clearInterval(look);
        stop();
        post(stream, { kind: "gone" }).catch(() => {}); // Its window ends without that too.
      });
      return true;
    },
    async close() {
      await Promise.allSettled(pending);
    },
  };
}

const INTERRUPTED =
  "interrupted: the machine that worked on this ended before it was done. What was asked for may or may not have taken effect.";

function toInterrupted(id: RequestId, method: string): string {
  if (method !== "tools/call") return writeAnswer(id, refuse(ERROR.server, INTERRUPTED));
  const result = { content: [{ type: "text", text: INTERRUPTED }], isError: true };
  return writeAnswer(id, { kind: "result", result });
}
