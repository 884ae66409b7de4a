import type { Socket } from "node:net";
import { addPiece } from "../../../../system/rpc/add-piece.ts";
import { LeanWire } from "./lean-wire.ts";
import type { LeanHead } from "./read-head.ts";

/** A head whose address and token were found good, and who that token belongs to. */
export interface Admitted<P> {
  readonly head: LeanHead;
  readonly principal: P;
}

export interface ConnectionPorts<P> {
  /** Null when node:http shall look at it, and refuse it if it must. */
  admit(text: string, socket: Socket): Admitted<P> | null;
  /** Whether what was admitted before would be so again. */
  isStillGood(admitted: Admitted<P>): boolean;
  /** Counts one request; false when it is one too many. */
  count(principal: P): boolean;
  answer(head: LeanHead, body: string, wire: LeanWire, principal: P): void;
  /** The connection is node:http's from here on, with these bytes of it. */
  passOn(socket: Socket, bytes: Buffer): void;
  now(): number;
  /** What an answer says about the connection that is kept after it. */
  readonly keepLine: string;
  /** Milliseconds within which a client has to take some of what it is sent. */
  readonly patience: number;
  /** Whether the server is closing. */
  isClosing(): boolean;
  onOver(connection: LeanConnection<P>): void;
}

const EMPTY = Buffer.alloc(0);
const HEAD_END = "\r\n\r\n";
const MOST_HEAD = 8 * 1024;
/** Bytes of a body; longer ones are rare, and node:http reads them as well. */
const MOST_BODY = 64 * 1024;
/** Bytes that may come while an answer is still being made. */
const MOST_AHEAD = 64 * 1024;

/** Reads one request after the other, and gives the connection away at the first that is not of the plain kind. */
export class LeanConnection<P> {
  readonly socket: Socket;
  /** When it last began to wait, and for what. */
  since: number;
  state: "new" | "idle" | "reading" | "answering" | "over" = "new";
  readonly #ports: ConnectionPorts<P>;
  /** What has come and is not read; put together only when there may be enough of it. */
  #parts: Buffer[] = [];
  #size = 0;
  #wanted = 1;
  #wire: LeanWire | null = null;
  /** Programs send the same head again and again: the bytes of the last one with its end, and what it came to. */
  #head: Buffer = EMPTY;
  #known: Admitted<P> | null = null;

  constructor(socket: Socket, ports: ConnectionPorts<P>) {
    this.socket = socket;
    this.#ports = ports;
    this.since = ports.now();
    socket.on("data", this.#onData).on("end", this.#onEnded).on("close", this.#onClose).on("error", this.#onError);
  }

  get isLast(): boolean {
    return this.#ports.isClosing();
  }

  get keepLine(): string {
    return this.#ports.keepLine;
  }

  /** An answer is made. Whoever does not read it gets no other one, or all of them would pile up here. */
  onEnd(): void {
    const { socket } = this;
    this.#wire = null;
    if (socket.writableLength === 0 || !socket.writableNeedDrain || this.isLast) this.#next();
    else socket.setTimeout(this.#ports.patience, this.#onStuck).once("drain", this.#onRead);
  }

  /** Whatever came meanwhile is next. */
  #next(): void {
    if (this.isLast) return void this.socket.end();
    this.#wait("idle");
    if (this.#size === 0) return;
    this.socket.resume();
    // Not from inside the answer: many requests that came at once must not pile up on the stack.
    setImmediate(() => {
      if (this.state === "idle" && !this.socket.destroyed) this.#read();
    });
  }

  readonly #onData = (chunk: Buffer): void => {
    addPiece(this.#parts, chunk);
    this.#size += chunk.length;
    if (this.state !== "answering") this.#read();
    else if (this.#size > MOST_AHEAD) this.socket.pause();
  };

  #read(): void {
    if (this.#size < this.#wanted) return;
    const [only = EMPTY] = this.#parts;
    const bytes = this.#parts.length === 1 ? only : Buffer.concat(this.#parts);
    const admitted = this.#admit(bytes);
    const length = admitted?.head.length ?? 0;
    if (admitted === null || length > MOST_BODY) {
      this.#passOn(bytes);
      return;
    }
    const start = this.#head.length;
    if (bytes.length < start + length) {
      this.#keep(bytes, start + length);
      if (this.state !== "reading") this.#wait("reading");
    } else if (this.#ports.count(admitted.principal)) this.#answer(admitted, bytes, start);
    else this.#passOn(bytes);
  }

  #answer({ head, principal }: Admitted<P>, bytes: Buffer, start: number): void {
    const end = start + head.length;
    const body = bytes.toString("utf8", start, end);
    this.#keep(end === bytes.length ? EMPTY : bytes.subarray(end), 1);
    this.state = "answering";
    this.#wire = new LeanWire(this);
    this.#ports.answer(head, body, this.#wire, principal);
  }

  #keep(rest: Buffer, wanted: number): void {
    this.#parts = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
    this.#wanted = wanted;
  }

  #admit(bytes: Buffer): Admitted<P> | null {
    const { length } = this.#head;
    const isSame = bytes.length >= length && bytes.compare(this.#head, 0, length, 0, length) === 0;
    if (this.#known !== null && isSame && this.#ports.isStillGood(this.#known)) return this.#known;
    const end = bytes.indexOf(HEAD_END);
    if (end < 0 || end > MOST_HEAD) return null;
    this.#head = Buffer.from(bytes.subarray(0, end + HEAD_END.length));
    this.#known = this.#ports.admit(bytes.toString("latin1", 0, end), this.socket);
    return this.#known;
  }

  #wait(state: "idle" | "reading"): void {
    this.state = state;
    this.since = this.#ports.now();
  }

  #passOn(bytes: Buffer): void {
    const { socket } = this;
    this.state = "over";
    socket.off("data", this.#onData).off("end", this.#onEnded).off("close", this.#onClose).off("error", this.#onError);
    this.#ports.onOver(this);
    this.#ports.passOn(socket, bytes);
  }

  /** Whoever says no more does not listen either: node:http takes it so too. */
  readonly #onEnded = (): void => {
    this.state = "over";
    this.socket.setTimeout(this.#ports.patience, this.#onStuck).end();
    this.#wire?.drop();
  };

  readonly #onRead = (): void => {
    if (this.state === "over") return;
    this.socket.setTimeout(0, this.#onStuck);
    this.#next();
  };

  /** Node starts the time anew as long as anything is taken. */
  readonly #onStuck = (): void => void this.socket.destroy();

  readonly #onClose = (): void => {
    this.#ports.onOver(this);
    this.#wire?.drop();
  };

  /** A connection that breaks closes, and that is enough to know. */
  readonly #onError = (): void => {};
}
