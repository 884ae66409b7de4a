import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { DeniedFiles } from "../../core/rules/denied-files.ts";
import { type Covers, createCoverFinder, NO_COVERS } from "../../system/sandbox/find-covered.ts";

/** Covers what rules deny to be read, while commands run in these folders. */
export interface DeniedCovers {
  /** Whether all of it was found by the last look; looks if nobody did yet. */
  isComplete(): Promise<boolean>;
  /** What to cover for a command that starts now. Throws `sandbox.not-covered` where the decision about it relied on more. */
  find(cwd: string): Promise<Covers>;
}

/** How long it counts that a look did not get to its end: on a large disk each one takes seconds. */
const PAUSE = 60_000;

export function createDeniedCovers(
  denied: DeniedFiles,
  folders: readonly string[],
  now: () => number = () => performance.now(),
): DeniedCovers {
  const finder = createCoverFinder(denied);
  let last: { readonly complete: boolean; readonly at: number } | null = null;
  const isHopeless = (): boolean => last?.complete === false && now() < last.at + PAUSE;
  const look = async (roots: readonly string[]): Promise<Covers> => {
    const found = await finder.find(roots);
    last = { complete: found.complete, at: now() };
    return found;
  };
  return {
    async isComplete() {
      if (isHopeless()) return false;
      return last?.complete === true || (await look(folders)).complete;
    },
    async find(cwd) {
      if (isHopeless()) return { ...NO_COVERS, complete: false };
      const relied = last?.complete === true;
      const found = await look([...folders, cwd]);
      if (!relied || found.complete) return found;
      const text = "Nothing was run: files that rules hide can no longer all be found. Run it again to be asked.";
      throw new ToolcribError("sandbox.not-covered", text, { names: [] });
    },
  };
}
