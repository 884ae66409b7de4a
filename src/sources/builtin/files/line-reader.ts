import type { FileHandle } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import type { Line } from "../parts/outcome.ts";

export interface LineLimits {
  /** Characters of one line. */
  readonly lineLength: number;
  /** Bytes of all lines together, with their numbers. */
  readonly total: number;
}

export interface LinesRead {
  readonly lines: readonly Line[];
  /** Lines of the whole file; null if the rest was too long to count. */
  readonly total: number | null;
  /** Lines of the range were left out because there were too many characters. */
  readonly full: boolean;
}

const CHUNK = 64 * 1024;
/** Approximate bytes of a line number and its separators. */
const NUMBER_BYTES = 8;
/** After the range, this many bytes are read to count the lines that are left. */
const COUNTED = 64 * 1024 * 1024;

/**
 * Reads the lines `first` to `last` of a file of any size, in constant memory. A final newline ends the last line and
 * does not start another.
 */
export async function readLines(
  handle: FileHandle,
  encoding: "utf8" | "utf16le",
  [first, last]: readonly [number, number],
  limits: LineLimits,
  signal: AbortSignal,
): Promise<LinesRead> {
  const decoder = new StringDecoder(encoding);
  const buffer = Buffer.allocUnsafe(CHUNK);
  const lines: Line[] = [];
  let room = limits.total;
  let full = false;
  let number = 1;
  let text = "";
  let length = 0;
  let countedBytes = 0;

  const endLine = () => {
    if (number >= first && number <= last && !full) {
      const kept = text.endsWith("\r") && length === text.length ? text.slice(0, -1) : text;
      room -= Buffer.byteLength(kept) + NUMBER_BYTES;
      if (room < 0) full = true;
      else lines.push({ number, text: kept, cut: length - text.length });
    }
    number += 1;
    text = "";
    length = 0;
  };
  const addPart = (part: string) => {
    if (number >= first && number <= last && !full) text += part.slice(0, limits.lineLength - text.length);
    length += part.length;
  };

  for (let position = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, CHUNK, position);
    if (bytesRead === 0) break;
    let chunk = decoder.write(buffer.subarray(0, bytesRead));
    if (position === 0) chunk = chunk.replace(/^\uFEFF/, "");
    position += bytesRead;
    let start = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
      addPart(chunk.slice(start, end));
      endLine();
      start = end + 1;
    }
    addPart(chunk.slice(start));
    if (number > last || full) countedBytes += bytesRead;
    if (countedBytes > COUNTED) return { lines, total: null, full };
  }
  addPart(decoder.end());
  if (length > 0) endLine();
  return { lines, total: number - 1, full };
}
