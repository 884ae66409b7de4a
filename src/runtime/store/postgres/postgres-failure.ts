import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";

/** Classes of SQLSTATE that a bug of ours causes: invalid data, violated constraints, wrong statements. */
const BUGS = /^(?:22|23|42)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Classes that end the connection: it was cut, or the server is stopping. */
const ENDED = /^(?:08|57)/;
/** Transactions that conflicted, and can be retried. */
const AGAIN = new Set(["40001", "40P01"]);

export function isAgain(error: unknown): boolean {
  return AGAIN.has(codeOf(error));
}

/** Whether the server, or our own code, refused: the connection is still usable. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ToolcribError || (SQLSTATE.test(codeOf(error)) && !ENDED.test(codeOf(error)));
}

/**
 * Everything else may be temporary: the server is unreachable, starting, stopping, full, or refuses us until somebody
 * grants access.
 */
export function toUnavailable(error: unknown): unknown {
  const code = codeOf(error);
  const isBug = SQLSTATE.test(code) && BUGS.test(code);
  if (!(error instanceof Error) || error instanceof ToolcribError || isBug) return error;
  return new ToolcribError("store.unavailable", `PostgreSQL cannot be used now: ${error.message || code}`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
