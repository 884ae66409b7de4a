export interface OutputLimits {
  /** Bytes kept from the beginning. */
  readonly head: number;
  /** Bytes kept from the end. */
  readonly tail: number;
}

interface Output {
  readonly text: string;
  /** Bytes that did not fit into the text. */
  readonly leftOut: number;
}

/**
 * Output with bounded memory: the beginning and the end are kept, and the middle is counted. Invalid UTF-8 becomes the
 * replacement character.
 */
export interface OutputBuffer {
  push(chunk: Uint8Array): void;
  /** The output since the last `take`. An incomplete character waits for the rest, except at the end. */
  take(atEnd?: boolean): Output;
  readonly isEmpty: boolean;
}

export function createOutputBuffer({ head: headCap, tail: tailCap }: OutputLimits): OutputBuffer {
  let head: Buffer[] = [];
  let headSize = 0;
  let ring: Buffer | null = null;
  let past = 0;
  /** Bytes of an incomplete character from the last `take`. */
  let begun: Buffer = Buffer.alloc(0);

  const push = (chunk: Uint8Array) => {
    const own = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const first = own.subarray(0, headCap - headSize);
    // Copied, because a small piece would otherwise keep the whole chunk alive.
    if (first.length > 0) head.push(Buffer.from(first));
    headSize += first.length;
    const rest = own.subarray(first.length);
    if (rest.length === 0 || tailCap === 0) {
      past += rest.length;
      return;
    }
    ring ??= Buffer.alloc(tailCap);
    const last = rest.subarray(Math.max(0, rest.length - tailCap));
    const at = (past + rest.length - last.length) % tailCap;
    const fits = last.copy(ring, at);
    last.copy(ring, 0, fits);
    past += rest.length;
  };

  const take = (atEnd = false): Output => {
    const start = Buffer.concat([begun, ...head]);
    const end = readRing(ring, past);
    let leftOut = past - end.length;
    head = [];
    headSize = 0;
    past = 0;
    ring = null;
    begun = Buffer.alloc(0);

    const kept = leftOut === 0 ? Buffer.concat([start, end]) : end;
    const whole = atEnd ? kept.length : wholeCharacters(kept);
    begun = Buffer.from(kept.subarray(whole));
    if (leftOut === 0) return { text: kept.toString("utf8", 0, whole), leftOut };

    const headEnd = wholeCharacters(start);
    const tailStart = Math.min(firstCharacter(kept), whole);
    leftOut += start.length - headEnd + tailStart;
    const text = [start.toString("utf8", 0, headEnd), `[${leftOut} bytes left out]`];
    return {
      text: [...text, kept.toString("utf8", tailStart, whole)].filter((part) => part !== "").join("\n"),
      leftOut,
    };
  };

  return {
    push,
    take,
    get isEmpty() {
      return headSize === 0 && past === 0 && begun.length === 0;
    },
  };
}

function readRing(ring: Buffer | null, written: number): Buffer {
  if (ring === null) return Buffer.alloc(0);
  if (written <= ring.length) return ring.subarray(0, written);
  const at = written % ring.length;
  return Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
}

/** The end of the last complete character: a truncated sequence is not part of it. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back && byte < 0xf8 ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The start of the first complete character, if the beginning may lie inside one. */
function firstCharacter(bytes: Buffer): number {
  for (let at = 0; at < Math.min(3, bytes.length); at += 1) if (!isContinuation(bytes[at] ?? 0)) return at;
  return Math.min(3, bytes.length);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
