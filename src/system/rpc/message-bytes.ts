import { noteRead } from "../give-memory-back.ts";
import { addPiece } from "./add-piece.ts";

/** The bytes of one message as they come in, at most `most` of them. */
export interface MessageBytes {
  readonly size: number;
  add(part: Buffer): void;
  /** Both ends of what is there, of at most so many bytes each. */
  ends(most: number): { readonly head: Buffer; readonly tail: Buffer };
  /** All of it; nothing of it is kept. */
  take(): Buffer;
  /** Gives up what is there. */
  drop(): void;
}

/** From here on it is worth a place of its own. */
const LARGE = 1024 * 1024;
/** By how much that place grows at a time. */
const STEP = 256 * 1024;

/**
 * Small messages are kept in the pieces in which they came. A large one moves to a place whose memory is the machine's
 * again the moment it is given up, where pieces would wait for the garbage collector and leave holes behind.
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

/** The last bytes of what came before and of this piece, copied, so that they hold nothing else in memory. */
export function lastOf(before: Buffer, piece: Buffer, length: number): Buffer {
  if (piece.length >= length) return Buffer.from(piece.subarray(piece.length - length));
  const both = Buffer.concat([before, piece]);
  return both.subarray(Math.max(0, both.length - length));
}
