/** What a call excludes while it runs. */
export interface Access {
  /** It may change something: nothing that shares a key runs at the same time. */
  readonly exclusive: boolean;
  /** What it touches; null if unknown, which overlaps with everything. */
  readonly keys: readonly string[] | null;
}

export function excludes(a: Access, b: Access): boolean {
  if (!a.exclusive && !b.exclusive) return false;
  if (a.keys === null || b.keys === null) return true;
  return a.keys.some((key) => b.keys?.includes(key) === true);
}
