import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Collects garbage now. A process that has nothing to do does not do that by itself: what it no longer needs stays its
 * own until it needs more. The second round returns what the first one had to keep free for itself.
 */
export function giveMemoryBack(): void {
  collector ??= findCollector();
  collector();
  collector();
}

const READ_BYTES = 2 * 1024 * 1024;
let read = 0;

/**
 * Takes note of bytes of a large message. What they came in is outside of the heap, where tens of megabytes of garbage
 * gather before anybody looks; looking through the youngest part takes a millisecond.
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

/** Only a flag opens the way to it, and only for what is made while the flag is set. */
function findCollector(): Collector {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return typeof found === "function" ? (...only) => void found(...only) : () => {};
}
