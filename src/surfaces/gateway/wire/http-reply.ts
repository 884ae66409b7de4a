import type { IncomingMessage, ServerResponse } from "node:http";
import type { Backlog, Share } from "../../../system/rpc/backlog.ts";
import { createMessageBytes } from "../../../system/rpc/message-bytes.ts";
import { isLargeWork } from "../../../system/time/after-large-work.ts";
import type { LeavableOutlet } from "./outlet.ts";

/** The answer to one HTTP request: plain JSON, unless something must be sent before it. */
export interface HttpReply extends LeavableOutlet {
  /** Sends the final answer, in whichever form the reply has taken. */
  end(text: string, status?: number, id?: string): void;
  /** Sends a message of a stream, under the id from which a returning client resumes. */
  send(text: string, id?: string): boolean;
  /** Sends an id to resume from before there is anything else to send. */
  prime(id: string): void;
  /** Opens the stream with nothing in it yet; false if the client accepts none. */
  open(): boolean;
  /** Ends a stream without a final message. */
  finish(): void;
  /** Keeps a long silence from being taken for a broken connection; a reply that takes that long becomes a stream. */
  ping(): void;
  /** Acknowledges a message that needs no answer. */
  accept(status?: 200 | 202): void;
  /** Whether it has become a stream. */
  readonly streams: boolean;
  /** Whether it is one, or can still become one. */
  readonly takesStream: boolean;
  /** Calls back when it is over, from either side; at once if it already is. */
  onOver(listener: () => void): void;
}

const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Bytes that a client may leave unread; one that reads nothing must not fill the memory. */
const MOST_UNREAD = 16 * 1024 * 1024;

export function createHttpReply(
  { headers }: Pick<IncomingMessage, "headers">,
  response: ServerResponse,
  own: Readonly<Record<string, string>> | null = null,
): HttpReply {
  return new ResponseReply(headers.accept, response, own);
}

/** A class, because an object literal with a getter is expensive when there is one per request. */
class ResponseReply implements HttpReply {
  readonly #accept: string | undefined;
  readonly #response: ServerResponse;
  readonly #own: Readonly<Record<string, string>> | null;
  #streams = false;

  constructor(accept: string | undefined, response: ServerResponse, own: Readonly<Record<string, string>> | null) {
    this.#accept = accept;
    this.#response = response;
    this.#own = own;
  }

  get streams(): boolean {
    return this.#streams;
  }

  get takesStream(): boolean {
    if (this.#streams) return true;
    const { headersSent, destroyed } = this.#response;
    return !headersSent && !destroyed && accepts(this.#accept, "text/event-stream");
  }

  open(): boolean {
    if (this.#streams || !this.takesStream) return this.#streams;
    const response = this.#response;
    response.writeHead(200, { ...STREAM_HEADERS, ...this.#own });
    response.flushHeaders();
    this.#streams = true;
    return true;
  }

  send(text: string, id?: string): boolean {
    const response = this.#response;
    if (response.destroyed || response.writableEnded || !this.open()) return false;
    if (response.writableLength > MOST_UNREAD) {
      response.destroy();
      return false;
    }
    response.write(`event: message\n${id === undefined ? "" : `id: ${id}\n`}data: ${text}\n\n`);
    return true;
  }

  prime(id: string): void {
    const response = this.#response;
    if (this.#streams && !response.destroyed && !response.writableEnded) response.write(`id: ${id}\ndata: \n\n`);
  }

  end(text: string, status = 200, id?: string): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    if (this.#streams || (status === 200 && !accepts(this.#accept, "application/json") && this.open())) {
      this.send(text, id);
      response.end();
      return;
    }
    // A large one is encoded once; counting its bytes alone would take as long.
    const body = isLargeWork(text.length) ? Buffer.from(text) : text;
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    response.writeHead(status, this.#own === null ? headers : { ...headers, ...this.#own });
    response.end(body);
  }

  finish(): void {
    if (this.#streams && !this.#response.writableEnded) this.#response.end();
  }

  ping(): void {
    const response = this.#response;
    if (!response.destroyed && !response.writableEnded && this.open()) response.write(": ping\n\n");
  }

  accept(status: 200 | 202 = 202): void {
    if (!this.#response.headersSent) this.#response.writeHead(status, { "content-length": 0 }).end();
  }

  onOver(listener: () => void): void {
    // A client may leave while its request waits for its turn.
    if (this.#response.destroyed) listener();
    else this.#response.once("close", listener);
  }

  onGone(listener: () => void): () => void {
    const response = this.#response;
    const onClose = (): void => {
      if (!response.writableFinished) listener();
    };
    if (response.destroyed) onClose();
    response.once("close", onClose);
    return () => void response.off("close", onClose);
  }
}

/** A client that names nothing takes anything. */
export function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined || header === "" || header.includes("*/*") || header.includes(type)) return true;
  return header.includes(`${type.slice(0, type.indexOf("/"))}/*`);
}

/** Messages up to this size wait for no others. */
const SMALL = 64 * 1024;

/**
 * The body as text; null as soon as it is longer than that. The rest is then read into nothing, for a client that is still
 * sending reads no answer before that; how long that may go on is for the server to say. Rejects when the client breaks off.
 */
export function readPostedText(
  request: IncomingMessage,
  most: number,
  backlog: () => Pick<Backlog, "join">,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const body = createMessageBytes(most);
    let isTooLong = false;
    let share: Share | null = null;
    const giveUp = (): void => {
      body.drop();
      share?.leave();
    };
    request.on("data", (part: Buffer) => {
      if (isTooLong) return;
      isTooLong = body.size + part.length > most;
      if (isTooLong) {
        giveUp();
        resolve(null);
        return;
      }
      body.add(part);
      if (body.size <= SMALL) return;
      share ??= backlog().join(null);
      const room = share.hold(body.size);
      if (room === null) return;
      request.pause();
      void room.then(() => request.resume());
    });
    // Each of these happens once, and `once` costs more than that.
    request.on("end", () => {
      resolve(body.take().toString());
      giveUp();
    });
    request.on("error", reject);
    // Every request closes, and creating an error costs more than the rest of this.
    request.on("close", () => {
      giveUp();
      if (!request.readableEnded) reject(new Error("the client broke off"));
    });
  });
}
