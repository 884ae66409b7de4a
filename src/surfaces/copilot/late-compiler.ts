import { compileAsUsual, compileLater } from "../../system/late-compiling.ts";

const WHO = "apps";
/** How much longer V8 waits here. */
const TIMES = 16;

/** Requests after which a process counts as one that has much to do. */
const MANY = 3_000;

/** Requests until then. */
let left = MANY;

/**
 * This process mostly waits for models and clients, and runs thousands of functions a little. To compile them for speed took a
 * third of the CPU of an app's first five hundred steps, and less CPU a step came of it only after two thousand. So V8
 * waits longer, until there is much to do.
 */
export function compileLate(): void {
  compileLater(WHO, TIMES);
}

export function noteRequest(): void {
  if (left === 0) return;
  left -= 1;
  if (left === 0) compileAsUsual(WHO);
}
