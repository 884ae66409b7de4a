import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder for everything that tests write, which goes once all of them are done. */
    readonly tempFolder: string;
  }
}

/**
 * A new folder. It is removed with all others at the end of the run: a file system may look through everything that was
 * deleted in the last seconds whenever it makes a file, which took a fifth of the time of tests that write many.
 */
export function makeTempFolder(): string {
  return mkdtempSync(join(inject("tempFolder"), "t"));
}
