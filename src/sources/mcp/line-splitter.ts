import { addPiece } from "../../system/add-piece.ts";
import { type MessageId, readIdFromEnds } from "./message-id.ts";

export type LineEvent =
  | { readonly kind: "line"; readonly bytes: Buffer }
  /** A line beyond the cap was thrown away; the id of the message it held, if one of its ends told. */
  | { readonly kind: "oversized"; readonly id: MessageId | null; readonly size: number }
  /** A line that does not end. Nothing after it can be understood. */
  | { readonly kind: "endless" };

export interface LineSplitter {
  /** Takes what was read and yields what is complete, one at a time, so that the reader can stop in between. */
  push(chunk: Buffer): Generator<LineEvent, void, undefined>;
  /** The text of what was read where that is one whole line, as most answers are; null, and nothing taken, otherwise. */
  takeLine(chunk: Buffer): string | null;
}

interface Caps {
  readonly lineBytes: number;
  readonly skippedBytes: number;
}

const HEAD_BYTES = 512;
const TAIL_BYTES = 512;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Cuts a stream of bytes into lines. Holds at most one line of `lineBytes`, whatever is written. */
export function createLineSplitter({ lineBytes, skippedBytes }: Caps): LineSplitter {
  let parts: Buffer[] = [];
  let size = 0;
  /** Both ends of the line that is being thrown away. */
  let skipping: { readonly head: Buffer; tail: Buffer } | null = null;

  const add = (part: Buffer): void => {
    size += part.length;
    if (skipping === null && size <= lineBytes) {
      addPiece(parts, part);
      return;
    }
    if (skipping === null) {
      const all = Buffer.concat([...parts, part]);
      skipping = { head: Buffer.from(all.subarray(0, HEAD_BYTES)), tail: lastOf(Buffer.alloc(0), all) };
      parts = [];
      return;
    }
    skipping.tail = lastOf(skipping.tail, part);
  };
  const finish = (): LineEvent => {
    const event: LineEvent =
      skipping === null
        ? { kind: "line", bytes: withoutReturn(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)) }
        : { kind: "oversized", id: idOf(skipping.head, skipping.tail), size };
    parts = [];
    size = 0;
    skipping = null;
    return event;
  };

  return {
    *push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        add(chunk.subarray(from, at));
        from = at + 1;
        yield finish();
      }
      if (from === chunk.length) return;
      // What is kept beyond this call must not hold the whole chunk in memory.
      add(from === 0 ? chunk : Buffer.from(chunk.subarray(from)));
      if (size > lineBytes + skippedBytes) yield { kind: "endless" };
    },
    takeLine(chunk) {
      const end = chunk.length - 1;
      if (size > 0 || end < 0 || end > lineBytes || chunk.indexOf(NEWLINE) !== end) return null;
      return chunk.toString("utf8", 0, end > 0 && chunk[end - 1] === RETURN ? end - 1 : end);
    },
  };
}

function lastOf(before: Buffer, part: Buffer): Buffer {
  if (part.length >= TAIL_BYTES) return Buffer.from(part.subarray(part.length - TAIL_BYTES));
  const all = Buffer.concat([before.subarray(Math.max(0, before.length - TAIL_BYTES)), part]);
  return all.subarray(Math.max(0, all.length - TAIL_BYTES));
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === RETURN ? line.subarray(0, line.length - 1) : line;
}

function idOf(head: Buffer, tail: Buffer): MessageId | null {
  return readIdFromEnds(head.toString("utf8"), tail.toString("utf8"));
}
