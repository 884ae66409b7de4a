import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Collects garbage now. An idle process does not do so by itself and keeps memory that it no longer needs. The second
 * round returns what the first one kept in reserve.
 */
export function giveMemoryBack(): void {
  collector ??= findCollector();
  // What is left lies scattered over pages that would all stay.
  setFlagsFromString("--compact-on-every-full-gc");
  collector();
  collector();
  setFlagsFromString("--no-compact-on-every-full-gc");
}

const READ_BYTES = 2 * 1024 * 1024;
let read = 0;

/**
 * Notes the bytes of a large message. Their buffers are outside the heap, where tens of megabytes of garbage gather
 * before a collection; a young-generation collection takes a millisecond.
 */
export function noteRead(bytes: number): void {
  read += bytes;
  if (read < READ_BYTES) return;
  read = 0;
  collector ??= findCollector();
  collector({ type: "minor" });
}

type Collector = (only?: { readonly type: "minor" }) => void;

let collector: Collector | null = null;

/** Available only behind a flag, and only for contexts created while the flag is set. */
function findCollector(): Collector {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return typeof found === "function" ? (...only) => void found(...only) : () => {};
}
