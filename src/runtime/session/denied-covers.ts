import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { DeniedFiles } from "../../core/rules/denied-files.ts";
import { type Covers, createCoverFinder } from "../../system/sandbox/find-covered.ts";

/** Covers what rules deny to be read, while commands run in these folders. */
export interface DeniedCovers {
  /** Whether all of it was found by the last look; looks if nobody did yet. */
  isComplete(): Promise<boolean>;
  /** What to cover for a command that starts now. Throws `sandbox.not-covered` where the decision about it relied on more. */
  find(cwd: string): Promise<Covers>;
}

export function createDeniedCovers(denied: DeniedFiles, folders: readonly string[]): DeniedCovers {
  const finder = createCoverFinder(denied);
  let last: boolean | null = null;
  return {
    async isComplete() {
      last ??= (await finder.find(folders)).complete;
      return last;
    },
    async find(cwd) {
      const before = last;
      const found = await finder.find([...folders, cwd]);
      last = found.complete;
      if (before !== true || found.complete) return found;
      const text =
        "Nothing was run: files that rules deny to be read can no longer all be found. Run it again to be asked.";
      throw new ToolcribError("sandbox.not-covered", text, { names: [] });
    },
  };
}
