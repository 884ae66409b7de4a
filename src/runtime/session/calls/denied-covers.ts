import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { DeniedFiles } from "../../../core/rules/denied-files.ts";
import { type Covers, createCoverFinder } from "../../../system/sandbox/find-covered.ts";

/** Covers what rules deny to be read, while commands run in these folders. */
export interface DeniedCovers {
  /** Why not all of it was found by the last look, or null; looks if nobody did yet. */
  missed(): Promise<string | null>;
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
  let last: { readonly found: Covers; readonly at: number } | null = null;
  /** What a look found that did not get to its end, while that counts. */
  const partly = (): Covers | null => {
    if (last === null || last.found.missed === null || now() >= last.at + PAUSE) return null;
    return last.found;
  };
  const look = async (roots: readonly string[]): Promise<Covers> => {
    const found = await finder.find(roots);
    last = { found, at: now() };
    return found;
  };
  return {
    async missed() {
      const part = partly();
      if (part !== null) return part.missed;
      return last !== null && last.found.missed === null ? null : (await look(folders)).missed;
    },
    async find(cwd) {
      const part = partly();
      if (part !== null) return part;
      const relied = last !== null && last.found.missed === null;
      const found = await look([...folders, cwd]);
      if (!relied || found.missed === null) return found;
      const text = `Nothing was run: files that rules hide can no longer all be found, because ${found.missed}. Run it again to be asked.`;
      throw new ToolcribError("sandbox.not-covered", text, { names: [] });
    },
  };
}
