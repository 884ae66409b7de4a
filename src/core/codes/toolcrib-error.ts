import { CODES, type ErrorCode } from "./codes.ts";
import type { Origin } from "./origin.ts";

interface ErrorDetails {
  readonly names?: readonly string[];
  readonly origin?: Origin;
}

/** A failure that a person must act on. Its text says what is wrong, where, and what to do. */
export class ToolcribError extends Error {
  override readonly name = "ToolcribError";
  readonly code: ErrorCode;
  readonly names: readonly string[];
  readonly origin: Origin | null;

  constructor(code: ErrorCode, text: string, { names = [], origin }: ErrorDetails = {}) {
    super(text);
    this.code = code;
    this.names = names;
    this.origin = origin ?? null;
  }
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
