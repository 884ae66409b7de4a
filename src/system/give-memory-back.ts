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

/** V8 makes its space for new objects small again where little was allocated between its last collections; it looks at ten. */
const LOOKED_AT = 10;
const APART_MS = 30;
/** Elements, 2 MB: V8 begins no full collection before there is a hundredth more than after the last. */
const MORE = 2 ** 18;

/** Other versions of V8 may not know the flags, and have not been measured. */
export const GIVES_IN_STEPS = process.versions.v8.startsWith("11.");

let isGiving = false;

/**
 * The same within half a second, for a process that will go on as before. A full collection at once drops what the
 * compiler has assumed about objects of which there is none just now, and with it most of the compiled code: the next
 * thousand calls cost three times as much. One in steps, as V8 begins it by itself, keeps both. It is at once where
 * there are no steps.
 */
export function giveMemoryBackInSteps(): void {
  if (!GIVES_IN_STEPS) giveMemoryBack();
  else if (!isGiving) startCollecting();
}

function startCollecting(): void {
  isGiving = true;
  void collectInSteps().finally(() => {
    isGiving = false;
  });
}

async function collectInSteps(): Promise<void> {
  collector ??= findCollector();
  const more = new Array<number>(MORE).fill(0);
  // After two, what was allocated here counts as old.
  for (let left = 2 + LOOKED_AT; left > 0; left--) {
    collector({ type: "minor" });
    await new Promise((resolve) => setTimeout(resolve, APART_MS).unref());
  }
  // Read when a full collection begins, which V8 decides after a small one.
  setFlagsFromString("--compact-on-every-full-gc");
  setFlagsFromString("--incremental-marking-hard-trigger=1");
  collector({ type: "minor" });
  more.length = 0;
  setFlagsFromString("--incremental-marking-hard-trigger=0");
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
