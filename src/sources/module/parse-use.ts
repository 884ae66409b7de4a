/** The two halves of `module:export`. */
export interface UsePath {
  readonly module: string;
  readonly exportName: string;
}

/** Splits at the last colon, because a module may contain one itself, as `file:` URLs and drives do (N4). */
export function parseUse(use: string): UsePath | null {
  const colon = use.lastIndexOf(":");
  const module = use.slice(0, Math.max(0, colon)).trim();
  const exportName = use.slice(colon + 1).trim();
  const isPath = /[/\\]/.test(exportName);
  return module === "" || exportName === "" || isPath ? null : { module, exportName };
}
