import { createPartialMessage, type Oversized } from "./partial-message.ts";

export type StreamEvent =
  /** Its lines as received, without comments. */
  | { readonly kind: "event"; readonly bytes: Buffer }
  | Oversized
  /** An event that does not end. Nothing after it can be understood. */
  | { readonly kind: "endless" };

/** Splits a stream of server-sent events. Holds at most `eventBytes`, whatever is written. */
export interface EventSplitter {
  /** Bytes held of an incomplete event. */
  readonly held: number;
  /** Takes input and yields complete events, one at a time, so that the reader can stop in between. */
  push(chunk: Buffer): Generator<StreamEvent, void, undefined>;
  /** Discards what is held. */
  drop(): void;
}

interface Caps {
  readonly eventBytes: number;
  /** How much of one oversized event is read and discarded. */
  readonly skippedBytes: number;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const COLON = 0x3a;

export function createEventSplitter({ eventBytes, skippedBytes }: Caps): EventSplitter {
  const event = createPartialMessage(eventBytes);
  let place: "line start" | "field" | "comment" = "line start";
  /** The last byte was a return, so a newline now belongs to it. */
  let returned = false;

  return {
    get held() {
      return event.held;
    },
    *push(chunk) {
      const lineEnd = lineEndsIn(chunk);
      /** The start of what is not consumed yet. */
      let from = 0;
      const keep = (to: number) => {
        // Copied, because what stays beyond this call must not hold the whole chunk in memory.
        if (to > from) event.add(from === 0 && to === chunk.length ? chunk : Buffer.from(chunk.subarray(from, to)));
        from = to;
      };
      for (let at = 0; at < chunk.length; ) {
        if (place === "line start") {
          const byte = chunk[at];
          const isSecondHalf = returned && byte === NEWLINE;
          returned = false;
          if (isSecondHalf) {
            if (from === at) from += 1;
            at += 1;
            continue;
          }
          if (byte === NEWLINE || byte === RETURN) {
            keep(at);
            at += 1;
            from = at;
            returned = byte === RETURN;
            if (event.size > 0) yield toEvent(event.finish());
            continue;
          }
          place = byte === COLON ? "comment" : "field";
          if (place === "comment") keep(at);
        }
        const end = lineEnd(at);
        at = end === -1 ? chunk.length : end + 1;
        if (place === "comment") from = at;
        if (end === -1) break;
        place = "line start";
        returned = chunk[end] === RETURN;
      }
      keep(chunk.length);
      if (event.size > eventBytes + skippedBytes) yield { kind: "endless" };
    },
    drop: event.drop,
  };
}

function toEvent(whole: Buffer | Oversized): StreamEvent {
  return Buffer.isBuffer(whole) ? { kind: "event", bytes: whole } : whole;
}

/** Finds the next newline or return from an offset, for increasing offsets; examines each byte once for either. */
export function lineEndsIn(bytes: Buffer): (from: number) => number {
  let newline = -2;
  let back = -2;
  return (from) => {
    if (newline !== -1 && newline < from) newline = bytes.indexOf(NEWLINE, from);
    if (back !== -1 && back < from) back = bytes.indexOf(RETURN, from);
    if (newline === -1 || back === -1) return Math.max(newline, back);
    return Math.min(newline, back);
  };
}
