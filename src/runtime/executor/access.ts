/** What a call excludes while it runs. */
export interface Access {
  /** It may change something: nothing that shares a key runs beside it. */
  readonly exclusive: boolean;
  /** What it touches; null when that is not known, which shares with everything. */
  readonly keys: readonly string[] | null;
}

export function excludes(a: Access, b: Access): boolean {
  if (!a.exclusive && !b.exclusive) return false;
  if (a.keys === null || b.keys === null) return true;
  return a.keys.some((key) => b.keys?.includes(key) === true);
}
