import { EMBEDDING } from "./embedding-weights.ts";

/** A direction for each known word; words of similar meaning point the same way. */
export interface WordVectors {
  readonly width: number;
  /** One row of `width` numbers per word, all of about equal norm. */
  readonly numbers: Int8Array;
  /** The row of a stem; -1 if unknown. */
  rowOf(term: string): number;
}

/** The package's own vectors, unpacked on first use. */
export function shippedVectors(): WordVectors {
  shipped ??= unpackVectors(EMBEDDING);
  return shipped;
}

let shipped: WordVectors | null = null;

/**
 * Words are stored as numbers: a table of four bytes each, followed by the rows in the same order.
 * @public the script that measures vectors reads others with it
 */
export function unpackVectors({ width, packed }: { readonly width: number; readonly packed: string }): WordVectors {
  const bytes = new Uint8Array(Buffer.from(packed, "base64"));
  const count = bytes.length / (width + 4);
  const table = new DataView(bytes.buffer);
  const rows = new Map<number, number>();
  for (let row = 0; row < count; row++) rows.set(table.getUint32(row * 4, true), row);
  return {
    width,
    numbers: new Int8Array(bytes.buffer, count * 4),
    rowOf: (term) => rows.get(hashWord(term)) ?? -1,
  };
}

/**
 * FNV-1a; of some thousand words two rarely share a number, and then they share a row.
 * @public the script that learns the vectors writes by it
 */
export function hashWord(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
