/** The mtime, in milliseconds, of the empty files that a sandbox puts where protected files are absent. */
const STAND_IN_TIME = 1_000;

/** Whether it is such a file: code that looks for the real one must treat it as absent. */
export function isStandIn({ mtimeMs }: { readonly mtimeMs: number }): boolean {
  return mtimeMs === STAND_IN_TIME;
}
