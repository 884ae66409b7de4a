import { type OutgoingHttpHeaders, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

/** What the connection wants to know about an answer. */
interface WireOwner {
  readonly socket: Socket;
  /** Whether the connection ends with this answer. */
  readonly isLast: boolean;
  /** What to say about the connection otherwise. */
  readonly keepLine: string;
  onEnd(): void;
}

/** One answer on a connection, with the part of `ServerResponse` that replies need. */
export class LeanWire {
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  destroyed = false;
  #head = "";
  #framing: "length" | "chunks" | "none" = "length";
  #listeners: Set<() => void> | null = null;
  readonly #owner: WireOwner;

  constructor(owner: WireOwner) {
    this.#owner = owner;
  }

  get writableLength(): number {
    return this.#owner.socket.writableLength;
  }

  /** Throws, as node's does, where a value could be taken for further lines. */
  writeHead(status: number, headers: OutgoingHttpHeaders): this {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${dateLine()}`;
    for (const name in headers) {
      const value = headers[name];
      if (value === undefined) continue;
      if (typeof value !== "number" && UNSAYABLE.test(String(value)))
        throw new TypeError(`${name} is not a valid header value`);
      head += `${name}: ${value}\r\n`;
    }
    this.#framing = status === 204 || status === 304 ? "none" : "content-length" in headers ? "length" : "chunks";
    if (this.#framing === "chunks") head += "transfer-encoding: chunked\r\n";
    this.#head = `${head}${this.#owner.isLast ? CLOSE : this.#owner.keepLine}\r\n`;
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    this.#send("");
  }

  write(text: string): void {
    if (!this.writableEnded) this.#send(this.#frame(text));
  }

  end(text = ""): void {
    if (this.writableEnded || this.destroyed) return;
    this.writableEnded = true;
    const last = this.#frame(text);
    this.#send(this.#framing === "chunks" ? `${last}0\r\n\r\n` : last);
    this.writableFinished = true;
    this.#close();
    this.#owner.onEnd();
  }

  /** What is finished is out of reach: the connection may be at the next request already. */
  destroy(): void {
    if (this.writableFinished) return;
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

  /** An empty chunk would be the last one. */
  #frame(text: string): string {
    if (this.#framing === "length" || text === "") return text;
    return this.#framing === "none" ? "" : `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
  }

  /** The head goes out with what follows it. */
  #send(text: string): void {
    const whole = this.#head + text;
    this.#head = "";
    if (whole !== "" && !this.destroyed) this.#owner.socket.write(whole);
  }
}

const CLOSE = "connection: close\r\n";
const UNSAYABLE = /[^\t -~]/;

let dated = { second: 0, line: "" };

function dateLine(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (dated.second !== second) dated = { second, line: `date: ${new Date(now).toUTCString()}\r\n` };
  return dated.line;
}
