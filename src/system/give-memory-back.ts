import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Collects garbage now. A process that has nothing to do does not do that by itself: what it no longer needs stays its
 * own until it needs more. The second round returns what the first one had to keep free for itself.
 */
export function giveMemoryBack(): void {
  collect ??= findCollector();
  collect();
  collect();
}

let collect: (() => void) | null = null;

/** Only a flag opens the way to it, and only for what is made while the flag is set. */
function findCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return typeof found === "function" ? () => void found() : () => {};
}
