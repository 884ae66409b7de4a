export type RefusalKind =
  | "invalid"
  | "outside"
  | "link"
  | "moved"
  | "changed"
  | "exists"
  | "missing"
  | "not-file"
  | "closed";

/**
 * Why a path was not touched. Thrown, like file system errors, up to the tool that turns both into a result. The text
 * names nothing but what the caller gave or may see.
 */
export class PathRefusal extends Error {
  override readonly name = "PathRefusal";
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, text: string) {
    super(text);
    this.kind = kind;
  }
}

/** The code of a file system error such as `ENOENT`; null for anything else. */
export function errnoOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}
