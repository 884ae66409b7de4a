import { createPartialMessage, type Oversized } from "./partial-message.ts";

export type LineEvent =
  | { readonly kind: "line"; readonly bytes: Buffer }
  | Oversized
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

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Cuts a stream of bytes into lines. Holds at most one line of `lineBytes`, whatever is written. */
export function createLineSplitter({ lineBytes, skippedBytes }: Caps): LineSplitter {
  const line = createPartialMessage(lineBytes);

  const finish = (): LineEvent => {
    const whole = line.finish();
    return Buffer.isBuffer(whole) ? { kind: "line", bytes: withoutReturn(whole) } : whole;
  };

  return {
    *push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        line.add(chunk.subarray(from, at));
        from = at + 1;
        yield finish();
      }
      if (from === chunk.length) return;
      // What is kept beyond this call must not hold the whole chunk in memory.
      line.add(from === 0 ? chunk : Buffer.from(chunk.subarray(from)));
      if (line.size > lineBytes + skippedBytes) yield { kind: "endless" };
    },
    takeLine(chunk) {
      const end = chunk.length - 1;
      if (line.size > 0 || end < 0 || end > lineBytes || chunk.indexOf(NEWLINE) !== end) return null;
      return chunk.toString("utf8", 0, end > 0 && chunk[end - 1] === RETURN ? end - 1 : end);
    },
  };
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === RETURN ? line.subarray(0, line.length - 1) : line;
}
