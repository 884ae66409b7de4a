import { afterLargeWork, isLargeWork } from "../time/after-large-work.ts";
import { afterwards } from "../time/afterwards.ts";
import { isShared, sliceAt } from "../time/slices.ts";
import type { FrameCaps, FrameEvent, Framing, Splitter } from "./framing.ts";
import type { Oversized } from "./partial-message.ts";
import { type ReadMessage, readMessage } from "./read-message.ts";

export interface MessageReaderOptions {
  readonly framing: Framing;
  readonly limits: FrameCaps;
  /** Gets every message that is not empty. */
  readonly onMessage: (message: ReadMessage | Oversized) => void;
  /** Nothing more can be understood. `why` continues "it was cut off:". */
  readonly onBroken: (why: string) => void;
  /** More arrived than one turn handles: until `onIdle` the other side should wait. */
  readonly onBusy: () => void;
  /** All input has been handled. */
  readonly onIdle: () => void;
}

/** Messages from a stream, handled a bounded number at a time (flood control). */
export interface MessageReader {
  push(chunk: Buffer): void;
  /** Calls `onIdle` as soon as nothing is left to handle. */
  flush(): void;
  /** Discards what is left. */
  stop(): void;
}

/** Messages handled before others get their turn, which they get earlier after the time of a slice. */
const MESSAGES_PER_TURN = 200;

export function createMessageReader(options: MessageReaderOptions): MessageReader {
  const { onMessage, onBroken, onBusy, onIdle } = options;
  const splitter = options.framing.createSplitter(options.limits);
  const input = createInput(splitter);
  let isScheduled = false;
  let until = 0;
  let left = 0;
  let isApart = false;
  let isStopped = false;

  const takeText = (text: string): void => {
    if (text !== "") onMessage(readMessage(text));
  };
  const take = (event: FrameEvent): void => {
    if (event.kind === "broken") onBroken(event.why);
    else if (event.kind === "oversized") onMessage(event);
    else takeText(event.bytes.toString("utf8"));
  };
  /** Messages, each with all that follows from it before the next: for an answer that costs more than reading it. */
  const step = (): void => {
    do {
      const event = isStopped ? null : input.next();
      if (event === null) {
        isScheduled = false;
        onIdle();
        return;
      }
      if (event.kind === "message" && isLargeWork(event.bytes.length)) {
        void takeLarge(readInSteps(event.bytes, () => isStopped));
        return;
      }
      take(event);
      left -= 1;
      // While nobody else is there, they are read together, which costs less.
    } while (!isApart && left > 0 && performance.now() < until);
    afterwards(goOn);
  };
  const takeLarge = async (reading: Promise<ReadMessage | null>): Promise<void> => {
    onBusy();
    const read = await reading;
    if (read !== null && !isStopped) onMessage(read);
    afterwards(pump);
  };
  const goOn = (): void => {
    if (left > 0 && performance.now() < until) step();
    else setImmediate(pump);
  };
  const pump = (): void => {
    isScheduled = true;
    const now = performance.now();
    until = now + sliceAt(now);
    isApart = isShared(now);
    left = MESSAGES_PER_TURN;
    step();
  };

  return {
    push(chunk) {
      if (isStopped) return;
      const whole = isScheduled ? null : splitter.takeWhole(chunk);
      if (whole !== null) return takeText(whole);
      input.add(chunk);
      if (isScheduled) onBusy();
      else pump();
    },
    flush() {
      if (!isScheduled) pump();
    },
    stop() {
      isStopped = true;
      input.clear();
    },
  };
}

/** Chunks, and what is in them, one event at a time. */
function createInput(splitter: Splitter) {
  const chunks: Buffer[] = [];
  let events: Generator<FrameEvent, void, undefined> | null = null;
  return {
    add: (chunk: Buffer) => void chunks.push(chunk),
    next(): FrameEvent | null {
      for (;;) {
        const chunk = events === null ? chunks.shift() : undefined;
        if (chunk !== undefined) events = splitter.push(chunk);
        if (events === null) return null;
        const { done, value } = events.next();
        if (!done) return value;
        events = null;
      }
    },
    clear() {
      chunks.length = 0;
      events = null;
    },
  };
}

/** Each step holds no longer what the one before needed. Null if nobody wants it any longer. */
function readInSteps(bytes: Buffer, isOver: () => boolean): Promise<ReadMessage | null> {
  return afterLargeWork()
    .then(() => (isOver() ? "" : bytes.toString("utf8")))
    .then((text) => afterLargeWork().then(() => (isOver() ? null : readMessage(text))))
    .then((read) => afterLargeWork().then(() => read));
}
