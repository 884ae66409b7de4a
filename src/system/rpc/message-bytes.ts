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
  return new Pieces(most);
}

/** A class, because there is one per request over HTTP. */
class Pieces implements MessageBytes {
  readonly #most: number;
  #pieces: Buffer[] = [];
  #place: ArrayBuffer | null = null;
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  add(part: Buffer): void {
    if (this.#size + part.length <= LARGE) addPiece(this.#pieces, part);
    else {
      let at = 0;
      for (const piece of this.#pieces) {
        this.#put(piece, at);
        at += piece.length;
      }
      this.#pieces = [];
      this.#put(part, this.#size);
    }
    this.#size += part.length;
  }

  ends(most: number): { readonly head: Buffer; readonly tail: Buffer } {
    return {
      head: Buffer.concat(this.#all(), Math.min(this.#size, most)),
      tail: this.#all().reduce((tail, piece) => lastOf(tail, piece, most), Buffer.alloc(0)),
    };
  }

  take(): Buffer {
    const [only] = this.#pieces;
    const whole = only !== undefined && this.#pieces.length === 1 ? only : Buffer.concat(this.#all());
    this.drop();
    return whole;
  }

  drop(): void {
    this.#place?.resize(0);
    this.#place = null;
    if (this.#pieces.length > 0) this.#pieces = [];
    this.#size = 0;
  }

  #put(part: Buffer, at: number): void {
    this.#place ??= new ArrayBuffer(0, { maxByteLength: this.#most });
    const end = at + part.length;
    if (this.#place.byteLength < end) this.#place.resize(Math.min(this.#most, end + STEP));
    new Uint8Array(this.#place).set(part, at);
    noteRead(part.length);
  }

  #all(): readonly Buffer[] {
    return this.#place === null ? this.#pieces : [Buffer.from(this.#place, 0, this.#size)];
  }
}

/** The last bytes of the earlier ones and this piece, copied, so that they hold nothing else in memory. */
export function lastOf(before: Buffer, piece: Buffer, length: number): Buffer {
  if (piece.length >= length) return Buffer.from(piece.subarray(piece.length - length));
  const both = Buffer.concat([before, piece]);
  return both.subarray(Math.max(0, both.length - length));
}
