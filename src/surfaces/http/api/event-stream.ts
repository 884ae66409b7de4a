import type { ServerResponse } from "node:http";
import { HttpRefusal } from "./answers.ts";
import type { PageEvent } from "./api.ts";

export interface EventStream {
  /** Pages that are listening. */
  readonly size: number;
  /** Turns an answer into a stream that lasts until its reader leaves. Refused if too many listen. */
  open(response: ServerResponse): void;
  tell(...changed: readonly PageEvent["changed"][]): void;
  /** Ends all streams. */
  close(): void;
}

/** Milliseconds between two messages. */
const BETWEEN = 200;
/** Milliseconds after which a silent stream sends a heartbeat; broken connections are noticed by it too. */
const HEARTBEAT = 15_000;
/** Bytes that a reader may lag behind before it is cut off; it will reconnect and ask for everything. */
const MAX_LAG = 64 * 1024;

/** Says what to ask for again, never the data itself: each kind once at a time, however much happens. */
export function createEventStream(most: number): EventStream {
  const readers = new Set<ServerResponse>();
  const pending = new Set<PageEvent["changed"]>();
  let timer: NodeJS.Timeout | null = null;
  let last = Number.NEGATIVE_INFINITY;
  let heartbeat: NodeJS.Timeout | null = null;

  const write = (text: string): void => {
    for (const reader of readers) {
      if (reader.writableLength > MAX_LAG) reader.destroy();
      else reader.write(text);
    }
  };
  const flush = (): void => {
    timer = null;
    last = performance.now();
    const text = [...pending].map((changed) => `data: ${JSON.stringify({ changed })}\n\n`).join("");
    pending.clear();
    write(text);
  };
  const drop = (reader: ServerResponse): void => {
    readers.delete(reader);
    if (readers.size > 0) return;
    pending.clear();
    if (timer !== null) clearTimeout(timer);
    if (heartbeat !== null) clearInterval(heartbeat);
    timer = heartbeat = null;
  };

  return {
    get size() {
      return readers.size;
    },
    open(response) {
      if (readers.size >= most)
        throw new HttpRefusal(429, "http.too-many", `at most ${most} pages can listen at once`, { "retry-after": "5" });
      response.writeHead(200, {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-accel-buffering": "no",
      });
      response.write("retry: 2000\n: here\n\n");
      readers.add(response);
      response.once("close", () => drop(response));
      heartbeat ??= setInterval(() => write(": alive\n\n"), HEARTBEAT).unref();
    },
    tell(...changed) {
      if (readers.size === 0) return;
      for (const each of changed) pending.add(each);
      timer ??= setTimeout(flush, Math.max(0, last + BETWEEN - performance.now())).unref();
    },
    close() {
      for (const reader of [...readers]) {
        reader.end();
        drop(reader);
      }
    },
  };
}
