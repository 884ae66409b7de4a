import type { FrameCaps, FrameEvent, Framing, Splitter } from "./framing.ts";
import { createPartialMessage } from "./partial-message.ts";

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** One message per line, which may also end with a return. */
export const LINES: Framing = { createSplitter, wrap: (text) => `${text}\n` };

function createSplitter({ messageBytes, skippedBytes }: FrameCaps): Splitter {
  const line = createPartialMessage(messageBytes);

  const finish = (): FrameEvent => {
    const whole = line.finish();
    return Buffer.isBuffer(whole) ? { kind: "message", bytes: withoutReturn(whole) } : whole;
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
      // Copied, because what stays beyond this call must not hold the whole chunk in memory.
      line.add(from === 0 ? chunk : Buffer.from(chunk.subarray(from)));
      const most = messageBytes + skippedBytes;
      if (line.size > most) yield { kind: "broken", why: `a line did not end within ${most} bytes` };
    },
    takeWhole(chunk) {
      const end = chunk.length - 1;
      if (line.size > 0 || end < 0 || end > messageBytes || chunk.indexOf(NEWLINE) !== end) return null;
      return chunk.toString("utf8", 0, end > 0 && chunk[end - 1] === RETURN ? end - 1 : end);
    },
  };
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === RETURN ? line.subarray(0, line.length - 1) : line;
}
