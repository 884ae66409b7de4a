import { createChangeListeners } from "../../../sources/parts/change-listeners.ts";
import type { PeerAnswer, PeerClient } from "../../../sources/peer.ts";
import { joinRemembered, type Remembered, type SessionRecord } from "../shared/session-record.ts";
import type { SessionShare } from "../shared/shared.ts";
import type { View } from "../views/view.ts";
import type { Incoming, IncomingRequest, Params, ProtocolAnswer } from "../wire/json-rpc.ts";
import { writeNotification } from "../wire/json-rpc.ts";
import type { Outlet } from "../wire/outlet.ts";
import { ERROR } from "../wire/protocol.ts";
import { createLegacyFront, type LegacyFront, type LegacyFrontOptions } from "./legacy-front.ts";
import { createStandingStreams, type StandingStreams } from "./standing-streams.ts";

/**
 * A client with a session, for its transport. Most of many clients are silent: such a one rests. Then its streams stay open,
 * its row has what is known of it, and a request opens the rest again.
 */
export interface LegacySession {
  readonly era: "legacy";
  readonly id: string;
  readonly version: string;
  readonly streams: StandingStreams;
  /** The id of its session here, the same after a rest. */
  readonly sessionId: string;
  /** Counts calls, for people. */
  readonly calls: number;
  readonly isBusy: boolean;
  readonly isAwake: boolean;
  /** Null if the client cancelled the request: then it wants no answer. */
  answer(request: IncomingRequest, outlet: Outlet): Promise<ProtocolAnswer | null>;
  /** Messages that need no answer; `other` if another machine passes it on. */
  take(message: Extract<Incoming, { kind: "notification" | "response" }>, from?: "client" | "other"): void;
  /** Takes over what another machine learned about the client. */
  adopt(record: SessionRecord): void;
  /** What the client is told about its tools at first. */
  instructions(): Promise<string | undefined>;
  /** False if it cannot: it has no row, or something of it would be lost. */
  rest(): boolean;
  /** What was remembered of it; null while it is awake. */
  readonly remembered: Remembered | null;
  /** Wakes it, and tells it if its tools have changed. Digest of those that it knows by then. */
  lookAgain(): Promise<string | null>;
  /** Tells a client that rests of other tools, once. */
  tellOfTools(digest: string | null): void;
  /** Calls back when it is closed from this side; returns how to unsubscribe. */
  onClose(listener: () => void): () => void;
  close(): Promise<void>;
}

/** What stays the same for a session that rests and wakes. */
interface Lifelong {
  readonly sessionId: string | null;
  /** Whether it was shown a list that lacked tools, and will not ask again. */
  readonly lateness: { isLate: boolean };
}

export interface LegacySessionOptions extends Omit<LegacyFrontOptions, "view" | "streams" | "remembered"> {
  readonly openView: (lifelong: Lifelong) => Promise<View>;
  /** Whether a server would end if this view did. */
  readonly holdsAlone: (view: View) => boolean;
}

export async function openLegacySession(options: LegacySessionOptions): Promise<LegacySession> {
  const lateness = { isLate: false };
  return new Session(options, lateness, await options.openView({ sessionId: null, lateness }));
}

class Session implements LegacySession {
  readonly era = "legacy";
  readonly id: string;
  readonly version: string;
  readonly sessionId: string;
  readonly streams = createStandingStreams(() => this.#front?.opened());
  readonly #options: LegacySessionOptions;
  readonly #lateness: Lifelong["lateness"];
  readonly #closing = createChangeListeners();
  #front: LegacyFront | null;
  #remembered: Remembered | null = null;
  #calls = 0;
  /** Those who wait for it to wake, or use what woke. */
  #users = 0;
  /** Falling asleep or waking up. */
  #turning: Promise<unknown> | null = null;
  #leave: () => void = () => {};
  #closed: Promise<void> | null = null;

  constructor(options: LegacySessionOptions, lateness: Lifelong["lateness"], view: View) {
    this.#options = options;
    this.#lateness = lateness;
    this.id = options.id;
    this.version = options.version;
    this.sessionId = view.session.id;
    this.#front = createLegacyFront({ ...options, view, streams: this.streams, remembered: null });
  }

  get calls(): number {
    return this.#front?.calls ?? this.#calls;
  }

  get isBusy(): boolean {
    return this.#turning !== null || this.#front?.isBusy === true;
  }

  get isAwake(): boolean {
    return this.#front !== null || this.#turning !== null;
  }

  get remembered(): Remembered | null {
    return this.#front === null && this.#turning === null ? this.#remembered : null;
  }

  answer(request: IncomingRequest, outlet: Outlet): Promise<ProtocolAnswer | null> {
    return this.#whenAwake((front) => front.answer(request, outlet));
  }

  take(...given: Parameters<LegacySession["take"]>): void {
    const onError = (error: unknown) => this.#options.onError(`a message to ${this.sessionId} was lost`, error);
    if (this.#front !== null) this.#front.take(...given);
    else this.#whenAwake((front) => front.take(...given)).catch(onError);
  }

  adopt(record: SessionRecord): void {
    // One that rests looks at its row when it wakes.
    this.#front?.adopt(record);
  }

  instructions(): Promise<string | undefined> {
    return this.#whenAwake((front) => front.view.offer().instructions);
  }

  rest(): boolean {
    const front = this.#front;
    if (front === null || this.#turning !== null || this.#closed !== null) return false;
    const { share, holdsAlone } = this.#options;
    if (share === null || this.#users > 0 || !front.canRest || holdsAlone(front.view)) return false;
    this.#remembered = front.remember();
    this.#calls = front.calls;
    this.#front = null;
    this.#leave = reserve(this, front.view);
    this.#turn(front.close());
    return true;
  }

  lookAgain(): Promise<string | null> {
    return this.#whenAwake((front) => front.catchUp());
  }

  tellOfTools(digest: string | null): void {
    const known = this.#remembered;
    if (this.#front !== null || known === null || known.shown === null || known.shown === digest) return;
    this.#remembered = { ...known, shown: digest };
    this.streams.send(writeNotification("notifications/tools/list_changed", {}));
  }

  onClose(listener: () => void): () => void {
    return this.#closing.add(listener);
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      this.#closing.emit();
      this.#closing.clear();
      await this.#turning?.catch(() => {});
      this.#leave();
      await this.#front?.close();
    })();
    return this.#closed;
  }

  /** It does not rest before the work has begun, or while that lasts. */
  async #whenAwake<T>(work: (front: LegacyFront) => T | Promise<T>): Promise<T> {
    this.#users += 1;
    try {
      return await work(this.#front ?? (await this.#wake()));
    } finally {
      this.#users -= 1;
    }
  }

  async #wake(): Promise<LegacyFront> {
    for (;;) {
      await this.#turning?.catch(() => {});
      if (this.#closed !== null) throw new Error("this session is closed");
      if (this.#front !== null) return this.#front;
      if (this.#turning === null) this.#turn(this.#open());
      await this.#turning;
    }
  }

  #turn(work: Promise<unknown>): void {
    const turning = work.finally(() => {
      if (this.#turning === turning) this.#turning = null;
    });
    turning.catch(() => {}); // Who waits for it hears of it.
    this.#turning = turning;
  }

  async #open(): Promise<void> {
    const { share, openView } = this.#options;
    const view = await openView({ sessionId: this.sessionId, lateness: this.#lateness });
    const remembered = joinRemembered(this.#remembered, await loadRow(share));
    const front = createLegacyFront({ ...this.#options, view, streams: this.streams, remembered });
    front.calls = this.#calls;
    this.#leave();
    this.#leave = () => {};
    this.#remembered = null;
    this.#front = front;
  }
}

/** Null if the store is unreachable: then what is remembered has to do. */
async function loadRow(share: SessionShare | null): Promise<SessionRecord | null> {
  return (await share?.load().catch(() => null)) ?? null;
}

/** What a server logs late, or asks outside of a request, may be for the one that rests: so it has not gone. */
function reserve({ id }: Pick<LegacySession, "id">, { peers, servers }: View): () => void {
  const who = new Absent(id);
  return all(servers().flatMap(({ peer }) => [peers.reserve(peer, who), peer.attach(who)]));
}

/** A function of its own, so that it holds nothing else: the view must be free to go. */
function all(leaves: readonly (() => void)[]): () => void {
  return () => {
    for (const leave of leaves) leave();
  };
}

const AWAY: PeerAnswer = { kind: "error", code: ERROR.server, message: "The client cannot be asked now." };

class Absent implements PeerClient {
  readonly id: string;
  readonly capabilities: Params = {};

  constructor(id: string) {
    this.id = id;
  }

  async ask(questions: Parameters<PeerClient["ask"]>[0]): ReturnType<PeerClient["ask"]> {
    return new Map([...questions.keys()].map((key) => [key, AWAY]));
  }

  notify(): void {}
}
