import type { Oversized } from "./partial-message.ts";

export type FrameEvent =
  /** One message, without what tells it from the next. */
  | { readonly kind: "message"; readonly bytes: Buffer }
  | Oversized
  /** Nothing after this can be understood. `why` continues "it was cut off:". */
  | { readonly kind: "broken"; readonly why: string };

export interface FrameCaps {
  /** The largest message; larger ones are thrown away. */
  readonly messageBytes: number;
  /** How much of one message is read and thrown away before nothing more is read. */
  readonly skippedBytes: number;
}

/** Cuts a stream of bytes into messages. Holds at most one of `messageBytes`, whatever is written. */
export interface Splitter {
  /** Takes what was read and yields what is complete, one at a time, so that the reader can stop in between. */
  push(chunk: Buffer): Generator<FrameEvent, void, undefined>;
  /** The text of what was read where that is one whole message, as most are; null, and nothing taken, otherwise. */
  takeWhole(chunk: Buffer): string | null;
}

/** How messages on a stream are told from each other. */
export interface Framing {
  createSplitter(caps: FrameCaps): Splitter;
  /** One message as it is written. */
  wrap(text: string): string;
}
