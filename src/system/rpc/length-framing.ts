import type { FrameCaps, Framing, Splitter } from "./framing.ts";
import { createPartialMessage } from "./partial-message.ts";

/** A header is a line or two; a longer one is no header. */
const MOST_HEADER = 4_096;
const HEADER_END = Buffer.from("\r\n\r\n");
const NOTHING = Buffer.alloc(0);

/** A header with the length of each message in bytes, as in language servers. */
export const CONTENT_LENGTH: Framing = {
  createSplitter,
  wrap: (text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
};

function createSplitter({ messageBytes, skippedBytes }: FrameCaps): Splitter {
  const message = createPartialMessage(messageBytes);
  const most = messageBytes + skippedBytes;
  let header: Buffer = NOTHING;
  /** Missing bytes of the message; null while the header is incomplete. */
  let missing: number | null = null;
  let isBroken = false;

  /** The next message's length and what follows its header, or the problem; null while the header is incomplete. */
  const takeHeader = (bytes: Buffer): { readonly length: number; readonly rest: Buffer } | string | null => {
    const before = header.length;
    const plain = before === 0 ? readPlain(bytes) : null;
    if (plain !== null && plain.length <= most) return { length: plain.length, rest: bytes.subarray(plain.end) };
    header = Buffer.concat([header, bytes.subarray(0, MOST_HEADER - before)]);
    const end = header.indexOf(HEADER_END);
    if (end < 0 && header.length < MOST_HEADER) return null;
    if (end < 0) return `the header of a message did not end within ${MOST_HEADER} bytes`;
    const length = readLength(header.toString("latin1", 0, end));
    if (typeof length === "string") return length;
    if (length > most) return `a message of ${length} bytes was announced, and ${most} are the most`;
    header = NOTHING;
    return { length, rest: bytes.subarray(end + HEADER_END.length - before) };
  };

  return {
    *push(chunk) {
      for (let rest = chunk; rest.length > 0 && !isBroken; ) {
        if (missing === null) {
          const taken = takeHeader(rest);
          if (taken === null) return;
          if (typeof taken === "string") {
            isBroken = true;
            return yield { kind: "broken", why: taken };
          }
          ({ length: missing, rest } = taken);
        }
        const part = rest.subarray(0, missing);
        if (part.length === missing && message.size === 0 && missing <= messageBytes) {
          rest = rest.subarray(missing);
          missing = null;
          yield { kind: "message", bytes: part };
          continue;
        }
        // Copied, because what stays beyond this call must not hold the whole chunk in memory.
        if (part.length > 0) message.add(part.length === chunk.length ? part : Buffer.from(part));
        rest = rest.subarray(part.length);
        missing -= part.length;
        if (missing > 0) return;
        missing = null;
        const whole = message.finish();
        yield Buffer.isBuffer(whole) ? { kind: "message", bytes: whole } : whole;
      }
    },
    takeWhole: () => null,
  };
}

const PLAIN = Buffer.from("Content-Length: ");
const [ZERO, NINE, RETURN, NEWLINE] = [0x30, 0x39, 0x0d, 0x0a];

/** The length and start of a message whose header is this one field, as nearly all are; null for others. */
function readPlain(bytes: Buffer): { readonly length: number; readonly end: number } | null {
  for (let at = 0; at < PLAIN.length; at += 1) if (bytes[at] !== PLAIN[at]) return null;
  let length = 0;
  for (let at = PLAIN.length; at < PLAIN.length + 15; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === RETURN && at > PLAIN.length) {
      const isEnd = bytes[at + 1] === NEWLINE && bytes[at + 2] === RETURN && bytes[at + 3] === NEWLINE;
      return isEnd ? { length, end: at + HEADER_END.length } : null;
    }
    if (byte < ZERO || byte > NINE) return null;
    length = length * 10 + byte - ZERO;
  }
  return null;
}

/** The length in a header, or what is wrong with it. Unknown fields are ignored. */
function readLength(header: string): number | string {
  let length: number | null = null;
  for (const line of header.split("\r\n")) {
    const [, name, value = ""] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t -~]*?)[ \t]*$/.exec(line) ?? [];
    switch (name?.toLowerCase()) {
      case undefined:
        return "the header of a message has a line that is no field";
      case "content-length":
        if (length !== null || !/^\d{1,15}$/.test(value)) return "the header of a message does not give one length";
        length = Number(value);
        break;
      case "content-type":
        if (/charset=(?!"?utf-?8"?\s*(?:;|$))/i.test(value)) return "a message is not in UTF-8";
    }
  }
  return length ?? "the header of a message gives no length";
}
