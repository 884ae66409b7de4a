/** So dated, in milliseconds, is what a sandbox puts where protected files are absent, while its commands run. */
const STAND_IN_TIME = 1_000;

/** Whether that is what was found: whoever looks for the file takes it for absent. */
export function isStandIn({ mtimeMs }: { readonly mtimeMs: number }): boolean {
  return mtimeMs === STAND_IN_TIME;
}
