import { randomUUID } from "node:crypto";
import type { SharedStore } from "../../../runtime/store/late-store.ts";
import type { FeedMessage } from "../../../runtime/store/store.ts";
import type { HttpReply } from "../wire/http-reply.ts";
import { type IncomingRequest, type Params, refuseRequest, writeAnswer } from "../wire/json-rpc.ts";
import { ERROR } from "../wire/protocol.ts";
import type { Machines } from "./machines.ts";
import { createMovableCall } from "./movable-call.ts";
import { type CallRow, CUT, LATE, type MovableCalls, toFailure } from "./movable-calls.ts";
import { createStoredReply, type StoredReplyPorts } from "./stored-reply.ts";
import { type StreamMessage, toStreamMessage } from "./stream-message.ts";

/** Answers that became streams: a client whose connection broke resumes on any machine (M2). */
export interface StoredStreams {
  /** The reply to a request, stored from when it becomes a stream; until then it is free. */
  keep(reply: HttpReply, session: string, request: IncomingRequest, primes: boolean): HttpReply;
  /**
   * Resumes the stream that the client names; false if this session has no such stream. A call that still waited for
   * somebody when its machine ended is made again, by `answer`.
   */
  resume(asked: Resuming, reply: HttpReply, answer: Answering): Promise<boolean>;
  /** Stores the owners of open streams again that were last stored so long ago, because messages expire. */
  renew(unchangedFor: number): Promise<void>;
  /** Waits until everything is stored. */
  close(): Promise<void>;
}

/** What a client comes back with. */
interface Resuming {
  readonly session: string;
  readonly lastEventId: string;
  /** Whether it understands an event without content. */
  readonly primes: boolean;
}

type Answering = (request: IncomingRequest, reply: HttpReply) => void;

export interface StreamPorts {
  readonly store: SharedStore;
  readonly scope: string;
  readonly machines: Machines;
  readonly calls: MovableCalls;
  /** Milliseconds within which a client must come back. */
  readonly window: () => number;
}

const EVENT_ID = /^([0-9a-f-]{36})_(\d{1,16})$/;
/** Milliseconds between checks whether the machine that works on it is alive. */
const LOOK = 2_000;

type Head = Extract<StreamMessage, { kind: "head" }>;

/** A stored answer: its request, and where another machine left off. */
interface StoredAnswer {
  readonly stream: string;
  readonly head: Head;
  readonly params: Params;
  /** Whether the client can come back. */
  readonly primes: boolean;
  /** Its row from another machine. */
  readonly row: CallRow | null;
}

/** A stream that its client came back to. */
interface Resumed {
  readonly stream: string;
  readonly head: Head;
  /** The number of the last message that the client has seen, and of the last one there was. */
  readonly seen: number;
  readonly last: number;
  readonly visit: string;
  /** The number under which the client's return is stored. */
  readonly back: number;
  readonly reply: HttpReply;
  readonly answer: Answering;
}

export function createStoredStreams(ports: StreamPorts): StoredStreams {
  const { store, scope, machines, calls } = ports;
  const feedOf = (stream: string): string => `gateway:${scope}:stream:${stream}`;
  const pending = new Set<Promise<unknown>>();
  /** Streams that this machine works for, with when their owner was last stored. */
  const open = new Map<string, { readonly head: Head; readonly at: number }>();
  const post = (stream: string, message: StreamMessage, after?: number): Promise<number | null> => {
    const work = store.post(feedOf(stream), message, after).finally(() => pending.delete(work));
    pending.add(work);
    return work;
  };
  const toPorts = ({ stream, head, params, primes, row }: StoredAnswer): StoredReplyPorts => {
    const window = ports.window();
    const known = { isStored: row !== null, asked: row?.asked ?? null };
    return {
      ...{ stream, primes, head, window },
      call: createMovableCall({ ...{ rows: calls, session: head.session, id: stream, params, window }, ...known }),
      post: (message) => {
        if (message.kind === "head") open.set(stream, { head, at: performance.now() });
        return post(stream, message);
      },
      over: () => void open.delete(stream),
      follow: (after, heard) => store.follow(feedOf(stream), after, heard),
      lives: machines.lives,
    };
  };

  const work: StreamWork = { ...ports, open, feedOf, post, toPorts };

  return {
    keep(reply, session, { id, method, params }, primes) {
      return createStoredReply(reply, () => {
        const head = { kind: "head", session, machine: machines.self, id, method } as const;
        return toPorts({ stream: randomUUID(), head, params, primes, row: null });
      });
    },
    async resume({ session, lastEventId, primes }, reply, answer) {
      const [, stream, seq] = EVENT_ID.exec(lastEventId) ?? [];
      if (stream === undefined) return false;
      const told = await store.messages(feedOf(stream), 0);
      const head = told.map(toStreamMessage).find((message) => message?.kind === "head");
      if (head?.kind !== "head" || head.session !== session || !reply.open()) return false;
      // A client that is cut off again before there is anything to read comes back with the same id.
      if (primes) reply.prime(lastEventId);
      const seen = Number(seq);
      if (told.some((message) => replay(message, stream, seen, reply))) return true;
      const visit = randomUUID();
      const back = (await post(stream, { kind: "back", visit, machine: machines.self })) ?? 0;
      goOn(work, { ...{ stream, head, seen, visit, back, reply, answer }, last: told.at(-1)?.seq ?? 0 });
      return true;
    },
    async renew(unchangedFor) {
      const now = performance.now();
      for (const [stream, { head, at }] of open) {
        if (now - at < unchangedFor) continue;
        await post(stream, head);
        if (open.has(stream)) open.set(stream, { head, at: now });
      }
    },
    async close() {
      await Promise.allSettled(pending);
    },
  };
}

/** What the streams of this machine have in common. */
interface StreamWork extends Pick<StreamPorts, "store" | "calls" | "window"> {
  readonly open: Map<string, { readonly head: Head; readonly at: number }>;
  feedOf(stream: string): string;
  post(stream: string, message: StreamMessage, after?: number): Promise<number | null>;
  toPorts(answer: StoredAnswer): StoredReplyPorts;
}

/** Continues as the working machine reports, or takes its place if that has ended. */
function goOn({ open, store, calls, window, feedOf, post, toPorts }: StreamWork, resumed: Resumed): void {
  const { stream, head, seen, visit, back, reply, answer } = resumed;
  let { last } = resumed;
  const look = async (): Promise<void> => {
    const found = await calls.adopt(head.session, stream, head.machine, window());
    if (found.kind === "busy") return;
    // Unless it was answered after all.
    if (found.kind === "cut") return void (await post(stream, { kind: "answer", text: toText(head, CUT) }, last));
    stopLooking();
    const { waiting: params, row } = found;
    const answered = { stream, head, params, primes: true, row };
    const own = createStoredReply(reply, () => toPorts(answered), Math.max(last, back));
    open.set(stream, { head, at: Number.NEGATIVE_INFINITY });
    if (found.isLate) own.end(toText(head, LATE));
    else answer({ kind: "request", id: head.id, method: head.method, params }, own);
  };
  const lookSoon = (): void => void look().catch(() => {}); // Unreachable: the next check will do.
  const timer = setInterval(lookSoon, LOOK);
  const stop = store.follow(feedOf(stream), last, (message) => {
    last = message.seq;
    replay(message, stream, seen, reply);
  });
  const stopLooking = (): void => {
    clearInterval(timer);
    stop();
  };
  reply.onOver(() => {
    stopLooking();
    post(stream, { kind: "gone", visit }).catch(() => {}); // Its window ends without that too.
  });
  lookSoon();
}

/** Sends what the client has not seen; true if that was the answer. */
function replay({ seq, message }: FeedMessage, stream: string, seen: number, reply: HttpReply): boolean {
  const found = toStreamMessage({ seq, message });
  if (found?.kind !== "event" && found?.kind !== "answer") return false;
  if (seq > seen) reply.send(found.text, `${stream}_${seq}`);
  if (found.kind === "answer") reply.finish();
  return found.kind === "answer";
}

function toText({ id, method }: Head, text: string): string {
  if (method !== "tools/call") return writeAnswer(id, refuseRequest(ERROR.server, text));
  return writeAnswer(id, { kind: "result", result: toFailure(text) });
}
