import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { addPiece } from "../../system/rpc/add-piece.ts";

export interface Body {
  readonly bytes: Buffer;
  /** There was more than was read. */
  readonly cut: boolean;
}

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/**
 * Reads and unpacks a response up to so many bytes, counted after unpacking, so that a compression bomb stays small.
 */
export async function readBody(
  message: Readable,
  packing: string | null | undefined,
  limit: number,
): Promise<Body | null> {
  const encoding = (packing ?? "identity").trim().toLowerCase();
  const decoder = DECODERS.get(encoding)?.();
  if (decoder === undefined && encoding !== "identity" && encoding !== "") return null;
  // The reader of the stream, below, gets these errors too.
  const stream = decoder === undefined ? message : pipeline(message, decoder, () => {});
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      addPiece(chunks, chunk);
      size += chunk.length;
      if (size > limit) break;
    }
  } finally {
    message.destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit), cut: size > limit };
}
