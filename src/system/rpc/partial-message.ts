import { noteRead } from "../give-memory-back.ts";
import { createMessageBytes, lastOf } from "./message-bytes.ts";
import { type MessageId, readIdFromEnds } from "./message-id.ts";

/** A message beyond the cap was discarded; its id, if one of its ends contained it. */
export interface Oversized {
  readonly kind: "oversized";
  readonly id: MessageId | null;
  readonly size: number;
}

/** One incomplete message, of which at most `cap` bytes are held. */
export interface PartialMessage {
  /** Bytes received. */
  readonly size: number;
  /** Bytes held. */
  readonly held: number;
  add(part: Buffer): void;
  /** Ends this message; what is added next begins another one. */
  finish(): Buffer | Oversized;
  /** Discards what is held. */
  drop(): void;
}

/** How much of both ends of a message may contain its id. */
const END_BYTES = 512;

export function createPartialMessage(cap: number): PartialMessage {
  const kept = createMessageBytes(cap);
  /** What is known of the message being discarded. */
  let thrown: { readonly head: Buffer; tail: Buffer; size: number } | null = null;

  return {
    get size() {
      return thrown?.size ?? kept.size;
    },
    get held() {
      return kept.size;
    },
    add(part) {
      if (thrown === null && kept.size + part.length <= cap) {
        kept.add(part);
        return;
      }
      if (thrown === null) {
        const { head, tail } = kept.ends(END_BYTES);
        thrown = { head: Buffer.concat([head, part.subarray(0, END_BYTES - head.length)]), tail, size: kept.size };
        kept.drop();
      }
      noteRead(part.length);
      thrown.tail = lastOf(thrown.tail, part, END_BYTES);
      thrown.size += part.length;
    },
    finish() {
      if (thrown === null) return kept.take();
      const { head, tail, size } = thrown;
      thrown = null;
      return { kind: "oversized", id: readIdFromEnds(head.toString("utf8"), tail.toString("utf8")), size };
    },
    drop: () => kept.drop(),
  };
}
