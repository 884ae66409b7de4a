import type { Span } from "./otlp.ts";

/** Spans on their way out, in batches. Nothing ever waits for it. */
export interface SpanQueue {
  add(span: Span): void;
  readonly exported: number;
  /** Spans that did not fit, or that were not accepted. */
  readonly dropped: number;
  /** Sends the remaining spans, within a few seconds. Twice is fine. */
  close(): Promise<void>;
}

export interface SpanQueueOptions {
  /** Rejects where the batch is not accepted, or takes longer than so many milliseconds. */
  readonly send: (batch: readonly Span[], timeout: number) => Promise<void>;
  readonly onError: (text: string, error: unknown) => void;
  /** Milliseconds between two batches. */
  readonly delay?: number;
}

const MAX_QUEUE = 2_048;
const MAX_BATCH = 512;
const DELAY = 5_000;
const TIMEOUT = 10_000;
const LAST_TIMEOUT = 3_000;

export function createSpanQueue({ send, onError, delay = DELAY }: SpanQueueOptions): SpanQueue {
  const queue: Span[] = [];
  let [exported, dropped, failing] = [0, 0, false];
  let timer: NodeJS.Timeout | null = null;
  let sending: Promise<void> | null = null;
  let closed: Promise<void> | null = null;

  const sendBatch = async (timeout: number): Promise<void> => {
    const batch = queue.splice(0, MAX_BATCH);
    if (batch.length === 0) return;
    try {
      await send(batch, timeout);
      exported += batch.length;
      failing = false;
    } catch (error) {
      dropped += batch.length;
      if (!failing) onError("traces could not be sent", error);
      failing = true;
    }
  };
  const schedule = (): void => {
    if (timer !== null || sending !== null || closed !== null) return;
    timer = setTimeout(() => {
      timer = null;
      sending = sendBatch(TIMEOUT).finally(() => {
        sending = null;
        if (queue.length > 0) schedule();
      });
    }, delay).unref();
  };
  return {
    add(span) {
      if (queue.length >= MAX_QUEUE || closed !== null) dropped += 1;
      else queue.push(span);
      schedule();
    },
    get exported() {
      return exported;
    },
    get dropped() {
      return dropped;
    },
    close() {
      closed ??= (async () => {
        if (timer !== null) clearTimeout(timer);
        await sending;
        for (let before = queue.length; before > 0; before = failing ? 0 : queue.length) await sendBatch(LAST_TIMEOUT);
        dropped += queue.splice(0).length;
      })();
      return closed;
    },
  };
}
