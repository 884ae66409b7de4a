import { CODES, type ErrorCode } from "./codes.ts";
import { formatOrigin, type Origin } from "./origin.ts";

/** One problem that an error reports: what is wrong, and where. */
interface ErrorPart {
  readonly what: string;
  readonly names: readonly string[];
  readonly origin: Origin | null;
}

interface ErrorDetails {
  readonly names?: readonly string[];
  readonly origin?: Origin;
  /** The separate problems, or what is wrong without the place, where the text alone does not say it. */
  readonly parts?: readonly ErrorPart[];
  /** The underlying error, for code that has to distinguish cases. */
  readonly cause?: unknown;
}

/** A failure that a person must act on. Its text says what is wrong, where, and what to do. */
export class ToolcribError extends Error {
  override readonly name = "ToolcribError";
  readonly code: ErrorCode;
  readonly names: readonly string[];
  readonly origin: Origin | null;
  readonly parts: readonly ErrorPart[];

  constructor(code: ErrorCode, text: string, { names = [], origin, parts, cause }: ErrorDetails = {}) {
    super(text, cause === undefined ? undefined : { cause });
    this.code = code;
    this.names = names;
    this.origin = origin ?? null;
    this.parts = parts ?? [{ what: text, names, origin: this.origin }];
  }
}

/** An error about one thing in one place. */
export function errorAt(code: ErrorCode, origin: Origin, what: string, names: readonly string[] = []): ToolcribError {
  return new ToolcribError(code, `${formatOrigin(origin)}: ${what}`, {
    names,
    origin,
    parts: [{ what, names, origin }],
  });
}

/** By shape, not `instanceof`: two copies of this package may share one process. */
export function isToolcribError(value: unknown): value is ToolcribError {
  return (
    value instanceof Error &&
    value.name === "ToolcribError" &&
    "code" in value &&
    Object.hasOwn(CODES, String(value.code))
  );
}
