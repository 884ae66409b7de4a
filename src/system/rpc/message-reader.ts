import type { FrameCaps, FrameEvent, Framing } from "./framing.ts";
import type { Oversized } from "./partial-message.ts";
import { type ReadMessage, readMessage } from "./read-message.ts";

export interface MessageReaderOptions {
  readonly framing: Framing;
  readonly limits: FrameCaps;
  /** Takes everything that was written and is no empty message. */
  readonly onMessage: (message: ReadMessage | Oversized) => void;
  /** Nothing more can be understood. `why` continues "it was cut off:". */
  readonly onBroken: (why: string) => void;
  /** More came than is looked at in one turn: until `onIdle` the other side should have to wait. */
  readonly onBusy: () => void;
  /** All that came has been looked at. */
  readonly onIdle: () => void;
}

/** Messages out of what is read from a stream, a bounded piece at a time (flood control). */
export interface MessageReader {
  push(chunk: Buffer): void;
  /** Calls `onIdle` as soon as nothing is left to look at. */
  flush(): void;
  /** Lets go of what is left. */
  stop(): void;
}

/** Messages looked at before others get their turn; a few milliseconds' worth. */
const MESSAGES_PER_TURN = 200;

export function createMessageReader(options: MessageReaderOptions): MessageReader {
  const { onMessage, onBroken, onBusy, onIdle } = options;
  const splitter = options.framing.createSplitter(options.limits);
  const chunks: Buffer[] = [];
  let events: Generator<FrameEvent, void, undefined> | null = null;
  let isScheduled = false;
  let isStopped = false;

  const takeText = (text: string): void => {
    if (text !== "") onMessage(readMessage(text));
  };
  const take = (event: FrameEvent): void => {
    if (event.kind === "broken") onBroken(event.why);
    else if (event.kind === "oversized") onMessage(event);
    else takeText(event.bytes.toString("utf8"));
  };
  const pump = (): void => {
    isScheduled = false;
    for (let left = MESSAGES_PER_TURN; !isStopped; ) {
      const chunk = events === null ? chunks.shift() : undefined;
      if (chunk !== undefined) events = splitter.push(chunk);
      if (events === null) break;
      const next = events.next();
      if (next.done) events = null;
      else {
        take(next.value);
        left -= 1;
      }
      if (left === 0) {
        isScheduled = true;
        onBusy();
        setImmediate(pump);
        return;
      }
    }
    onIdle();
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
