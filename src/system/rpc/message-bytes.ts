import { noteRead } from "../give-memory-back.ts";
import { addPiece } from "./add-piece.ts";

/** The bytes of one message as they arrive, at most `most`. */
export interface MessageBytes {
  readonly size: number;
  add(part: Buffer): void;
  /** Both ends of the bytes so far, at most so many each. */
  ends(most: number): { readonly head: Buffer; readonly tail: Buffer };
  /** Returns all bytes and holds none. */
  take(): Buffer;
  /** Discards the bytes. */
  drop(): void;
}

/** From this size on a message gets a buffer of its own. */
const LARGE = 1024 * 1024;
/** By how much that buffer grows at a time. */
const STEP = 256 * 1024;

/**
 * Small messages stay in the pieces in which they arrived. A large one moves to a buffer whose memory is released at
 * once when it is dropped; pieces would wait for the garbage collector and leave holes.
 */
export function createMessageBytes(most: number): MessageBytes {
  let pieces: Buffer[] = [];
  let place: ArrayBuffer | null = null;
  let size = 0;

  const put = (part: Buffer, at: number): void => {
    place ??= new ArrayBuffer(0, { maxByteLength: most });
    const end = at + part.length;
    if (place.byteLength < end) place.resize(Math.min(most, end + STEP));
    new Uint8Array(place).set(part, at);
    noteRead(part.length);
  };
  const all = (): readonly Buffer[] => (place === null ? pieces : [Buffer.from(place, 0, size)]);
  const drop = (): void => {
    place?.resize(0);
    place = null;
    pieces = [];
    size = 0;
  };

  return {
    get size() {
      return size;
    },
    add(part) {
      if (size + part.length <= LARGE) addPiece(pieces, part);
      else {
        let at = 0;
        for (const piece of pieces) {
          put(piece, at);
          at += piece.length;
        }
        pieces = [];
        put(part, size);
      }
      size += part.length;
    },
    ends(length) {
      return {
        head: Buffer.concat(all(), Math.min(size, length)),
        tail: all().reduce((tail, piece) => lastOf(tail, piece, length), Buffer.alloc(0)),
      };
    },
    take() {
      const [only] = pieces;
      const whole = only !== undefined && pieces.length === 1 ? only : Buffer.concat(all());
      drop();
      return whole;
    },
    drop,
  };
}

/** The last bytes of the earlier ones and this piece, copied, so that they hold nothing else in memory. */
export function lastOf(before: Buffer, piece: Buffer, length: number): Buffer {
  if (piece.length >= length) return Buffer.from(piece.subarray(piece.length - length));
  const both = Buffer.concat([before, piece]);
  return both.subarray(Math.max(0, both.length - length));
}
