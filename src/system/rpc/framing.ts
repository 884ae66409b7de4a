import type { Oversized } from "./partial-message.ts";

export type FrameEvent =
  /** One message, without its delimiter. */
  | { readonly kind: "message"; readonly bytes: Buffer }
  | Oversized
  /** Nothing after this can be understood. `why` continues "it was cut off:". */
  | { readonly kind: "broken"; readonly why: string };

export interface FrameCaps {
  /** The largest message; larger ones are discarded. */
  readonly messageBytes: number;
  /** How much of one message is read and discarded before reading stops. */
  readonly skippedBytes: number;
}

/** Splits a stream of bytes into messages. Holds at most `messageBytes`, whatever is written. */
export interface Splitter {
  /** Takes input and yields complete messages, one at a time, so that the reader can stop in between. */
  push(chunk: Buffer): Generator<FrameEvent, void, undefined>;
  /** The text of the input if it is exactly one message, as most are; otherwise null, with nothing consumed. */
  takeWhole(chunk: Buffer): string | null;
}

/** How messages on a stream are delimited. */
export interface Framing {
  createSplitter(caps: FrameCaps): Splitter;
  /** One message as written to the stream. */
  wrap(text: string): string;
}
