import type { FeedMessage } from "../../../runtime/store/store.ts";
import type { HttpReply } from "../wire/http-reply.ts";
import type { MovableCall } from "../wire/outlet.ts";
import { awaitReturn } from "./client-return.ts";
import type { StreamMessage } from "./stream-message.ts";

export interface StoredReplyPorts {
  readonly stream: string;
  readonly head: Extract<StreamMessage, { kind: "head" }>;
  /** Whether the client understands an event without content, which gives it an id to resume from at the start. */
  readonly primes: boolean;
  /** Milliseconds within which the client must come back. */
  readonly window: number;
  readonly post: (message: StreamMessage) => Promise<number | null>;
  /** It has its answer, here or on another machine. */
  readonly over: () => void;
  readonly follow: (after: number, heard: (message: FeedMessage) => void) => () => void;
  readonly lives: (machine: string) => Promise<boolean>;
  /** The call that this answers. */
  readonly call: MovableCall;
}

/** Messages that wait until the stream is stored; further ones that nobody must see are dropped. */
const MOST_HELD = 1_000;

/**
 * `ports` are created only if the answer becomes a stream, which is rare; `begun`: the last message of another machine.
 */
export function createStoredReply(reply: HttpReply, ports: () => StoredReplyPorts, begun?: number): HttpReply {
  return new StoredReply(reply, ports, begun);
}

/**
 * Stores what a returning client must not miss, each message before it is sent. The client first gets an id to resume
 * from, so that nothing is lost wherever it is cut. Without the store it is a plain reply.
 */
class StoredReply implements HttpReply {
  readonly #reply: HttpReply;
  readonly #make: () => StoredReplyPorts;
  #made: StoredReplyPorts | null = null;
  /** The number of its head; null if it could not be stored. */
  #head: Promise<number | null> | null = null;
  /** What is sent once that is known; null from then on. */
  #held: string[] | null = null;
  #isAway = false;
  /** Called when the client is back. */
  readonly #returns: (() => void)[] = [];

  constructor(reply: HttpReply, make: () => StoredReplyPorts, begun: number | undefined) {
    this.#reply = reply;
    this.#make = make;
    if (begun !== undefined) this.#head = Promise.resolve(begun);
  }

  get #ports(): StoredReplyPorts {
    this.#made ??= this.#make();
    return this.#made;
  }

  get streams(): boolean {
    return this.#reply.streams;
  }

  open(): boolean {
    const isOpen = this.#reply.open();
    if (isOpen) this.#begin();
    return isOpen;
  }

  get takesStream(): boolean {
    return this.#reply.takesStream;
  }

  send(text: string): boolean {
    if (!this.open()) return false;
    if (this.#held === null) return this.#reply.send(text);
    return this.#held.length < MOST_HELD && this.#held.push(text) > 0;
  }

  async sendStored(text: string): Promise<boolean> {
    if (!this.open()) return false;
    const seq = await this.#store({ kind: "event", text });
    if (seq === null) return this.#reply.send(text);
    this.#reply.send(text, this.#idOf(seq));
    // If the connection has broken, the client finds it when it comes back.
    return true;
  }

  end(text: string, status?: number): void {
    if (this.#head === null) this.#reply.end(text, status);
    else void this.#end(text, status);
  }

  finish(): void {
    this.#reply.finish();
  }

  ping(): void {
    if (this.open()) this.#reply.ping();
  }

  prime(id: string): void {
    this.#reply.prime(id);
  }

  /** It becomes a stream once that is stored: if the store is unreachable, a refusal may still have its own status. */
  linger(): void {
    if (this.#ports.primes && this.#reply.takesStream) this.#begin();
  }

  async whenHere(): Promise<void> {
    if (this.#isAway) await new Promise<void>((resolve) => void this.#returns.push(resolve));
  }

  /** Another machine can deliver the answer only to a client that can come back. */
  async waiting(): Promise<MovableCall | null> {
    return this.#ports.primes && (await this.#head) !== null ? this.#ports.call : null;
  }

  accept(status?: 200 | 202): void {
    this.#reply.accept(status);
  }

  onOver(listener: () => void): void {
    this.#reply.onOver(listener);
  }

  /** A client is gone if it does not come back in time. */
  onGone(listener: () => void): () => void {
    let stopWaiting = (): void => {};
    const stop = this.#reply.onGone(() => {
      this.#isAway = true;
      stopWaiting = this.#waitForReturn(listener);
    });
    return () => {
      stop();
      stopWaiting();
    };
  }

  #waitForReturn(listener: () => void): () => void {
    if (this.#head === null) {
      listener();
      return () => {};
    }
    const { window, follow, lives } = this.#ports;
    let stop: (() => void) | null = () => {};
    void this.#head.then((seq) => {
      if (stop === null) return;
      if (seq === null) return listener();
      stop = awaitReturn({
        ...{ window, lives, onLate: listener },
        follow: (heard) => follow(seq, heard),
        onBack: () => {
          this.#isAway = false;
          for (const tell of this.#returns.splice(0)) tell();
        },
        onAway: () => {
          this.#isAway = true;
        },
      });
    });
    return () => {
      stop?.();
      stop = null;
    };
  }

  #begin(): void {
    if (this.#head !== null) return;
    const { post, head, primes } = this.#ports;
    this.#held = [];
    this.#head = post(head)
      .catch(() => null)
      .then((seq) => {
        if (seq !== null && primes && this.#reply.open()) this.#reply.prime(this.#idOf(seq));
        for (const text of this.#held ?? []) this.#reply.send(text);
        this.#held = null;
        return seq;
      });
  }

  async #end(text: string, status?: number): Promise<void> {
    // Without the store, nobody else can have taken the call over from a client that is here.
    const isOurs = await this.#ports.call.mayAnswer().catch(() => true);
    this.#ports.over();
    if (!isOurs) return this.#reply.finish();
    const seq = await this.#store({ kind: "answer", text });
    this.#reply.end(text, status, seq === null ? undefined : this.#idOf(seq));
  }

  async #store(message: StreamMessage): Promise<number | null> {
    if ((await this.#head) === null) return null;
    return this.#ports.post(message).catch(() => null);
  }

  #idOf(seq: number): string {
    return `${this.#ports.stream}_${seq}`;
  }
}
