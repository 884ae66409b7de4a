import { afterLargeWork, isLargeWork } from "../time/after-large-work.ts";
import { afterwards } from "../time/afterwards.ts";
import type { FrameCaps, FrameEvent, Framing } from "./framing.ts";
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

/** Messages handled before others get their turn, and milliseconds after which they get it earlier. */
const MESSAGES_PER_TURN = 200;
const TURN = 1;

export function createMessageReader(options: MessageReaderOptions): MessageReader {
  const { onMessage, onBroken, onBusy, onIdle } = options;
  const splitter = options.framing.createSplitter(options.limits);
  const chunks: Buffer[] = [];
  let events: Generator<FrameEvent, void, undefined> | null = null;
  let isScheduled = false;
  let until = 0;
  let left = 0;
  let isStopped = false;

  const takeText = (text: string): void => {
    if (text !== "") onMessage(readMessage(text));
  };
  const take = (event: FrameEvent): void => {
    if (event.kind === "broken") onBroken(event.why);
    else if (event.kind === "oversized") onMessage(event);
    else takeText(event.bytes.toString("utf8"));
  };
  const next = (): FrameEvent | null => {
    for (;;) {
      const chunk = events === null ? chunks.shift() : undefined;
      if (chunk !== undefined) events = splitter.push(chunk);
      if (events === null) return null;
      const { done, value } = events.next();
      if (!done) return value;
      events = null;
    }
  };
  /** One message, and all that follows from it before the next one: for an answer that costs more than reading it. */
  const step = (): void => {
    const event = isStopped ? null : next();
    if (event === null) {
      isScheduled = false;
      onIdle();
      return;
    }
    if (event.kind === "message" && isLargeWork(event.bytes.length)) {
      takeLarge(event.bytes);
      return;
    }
    take(event);
    left -= 1;
    afterwards(goOn);
  };
  /** Each step holds no longer what the one before needed. What arrives meanwhile waits. */
  const takeLarge = (bytes: Buffer): void => {
    onBusy();
    void afterLargeWork()
      .then(() => (isStopped ? "" : bytes.toString("utf8")))
      .then((text) => afterLargeWork().then(() => (isStopped ? null : readMessage(text))))
      .then((read) =>
        afterLargeWork().then(() => {
          if (read !== null && !isStopped) onMessage(read);
          afterwards(pump);
        }),
      );
  };
  const goOn = (): void => {
    if (left > 0 && performance.now() < until) step();
    else {
      onBusy();
      setImmediate(pump);
    }
  };
  const pump = (): void => {
    isScheduled = true;
    until = performance.now() + TURN;
    left = MESSAGES_PER_TURN;
    step();
  };

  return {
    push(chunk) {
      if (isStopped) return;
      const whole = isScheduled ? null : splitter.takeWhole(chunk);
      if (whole === null) chunks.push(chunk);
      else takeText(whole);
      if (whole === null && !isScheduled) pump();
    },
    flush() {
      if (!isScheduled) pump();
    },
    stop() {
      isStopped = true;
      chunks.length = 0;
      events = null;
    },
  };
}
