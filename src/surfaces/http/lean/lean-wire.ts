import { type OutgoingHttpHeaders, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

/** What the connection wants to know about an answer. */
interface WireOwner {
  readonly socket: Socket;
  /** Whether the connection ends with this answer. */
  readonly isLast: boolean;
  onEnd(): void;
}

/** One answer on a connection, with the part of `ServerResponse` that replies need. */
export class LeanWire {
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  destroyed = false;
  #head = "";
  #isChunked = false;
  #listeners: Set<() => void> | null = null;
  readonly #owner: WireOwner;

  constructor(owner: WireOwner) {
    this.#owner = owner;
  }

  get writableLength(): number {
    return this.#owner.socket.writableLength;
  }

  writeHead(status: number, headers: OutgoingHttpHeaders): this {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${dateLine()}`;
    for (const name in headers) if (headers[name] !== undefined) head += `${name}: ${headers[name]}\r\n`;
    this.#isChunked = headers["content-length"] === undefined;
    if (this.#isChunked) head += "transfer-encoding: chunked\r\n";
    this.#head = `${head}${this.#owner.isLast ? "connection: close\r\n" : KEEP}\r\n`;
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    this.#send("");
  }

  write(text: string): void {
    this.#send(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }

  end(text = ""): void {
    if (this.writableEnded || this.destroyed) return;
    this.writableEnded = true;
    if (this.#isChunked && text !== "") this.write(text);
    this.#send(this.#isChunked ? "0\r\n\r\n" : text);
    this.writableFinished = true;
    this.#close();
    this.#owner.onEnd();
  }

  destroy(): void {
    this.#owner.socket.destroy();
    this.drop();
  }

  /** Nobody is there for the answer any more. */
  drop(): void {
    if (this.destroyed || this.writableFinished) return;
    this.destroyed = true;
    this.#close();
  }

  once(_event: "close", listener: () => void): void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  off(_event: "close", listener: () => void): void {
    this.#listeners?.delete(listener);
  }

  #close(): void {
    const listeners = this.#listeners;
    this.#listeners = null;
    for (const listener of listeners ?? []) listener();
  }

  /** The head goes out with what follows it. */
  #send(text: string): void {
    const whole = this.#head + text;
    this.#head = "";
    if (whole !== "" && !this.destroyed) this.#owner.socket.write(whole);
  }
}

const KEEP = "connection: keep-alive\r\n";

let dated = { second: 0, line: "" };

function dateLine(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (dated.second !== second) dated = { second, line: `date: ${new Date(now).toUTCString()}\r\n` };
  return dated.line;
}
