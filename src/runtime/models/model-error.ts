import { isRecord, objectOf, textOrNull } from "../../core/shape/json-value.ts";

/** A request that a provider did not answer as asked. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  /** The HTTP status, if there was one. */
  readonly status: number | null;
  /** The same request may succeed later. */
  readonly isPassing: boolean;
  /** Milliseconds after which the provider wants a retry. */
  readonly retryAfter: number | null;
  /** The provider's own error code. */
  readonly code: string | null;

  constructor(
    message: string,
    { status = null, isPassing = false, retryAfter = null, code = null, cause }: Partial<ModelErrorFacts> = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.isPassing = isPassing;
    this.retryAfter = retryAfter;
    this.code = code;
  }
}

interface ModelErrorFacts {
  readonly status: number | null;
  readonly isPassing: boolean;
  readonly retryAfter: number | null;
  readonly code: string | null;
  readonly cause: unknown;
}

const PASSING_STATUS: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

/** Providers' words for temporary errors that arrive inside a stream. */
const PASSING_WORDS = /overload|rate.?limit|server_error|api_error|timeout|unavailable|internal|try again/i;

/** A limit that only a person can lift. */
const LASTING_WORDS = /insufficient_quota|billing|credit balance/i;

/** A provider's error response, in its own words. */
export function fromStatus(status: number, body: string, retryAfter: number | null, provider: string): ModelError {
  const words = toWords(body);
  const isPassing = PASSING_STATUS.has(status) && !LASTING_WORDS.test(body);
  return new ModelError(`${provider} answered ${status}${words === "" ? "" : `: ${words}`}`, {
    status,
    isPassing,
    retryAfter,
    code: codeIn(body),
  });
}

/** An error that arrives as an event of a stream. */
export function fromErrorEvent(error: unknown, provider: string): ModelError {
  const { type, code, message } = objectOf(error);
  const kind = textOrNull(code) ?? textOrNull(type) ?? "error";
  const words = textOrNull(message) ?? kind;
  const isPassing = PASSING_WORDS.test(`${kind} ${words}`) && !LASTING_WORDS.test(`${kind} ${words}`);
  return new ModelError(`${provider} broke off: ${words}`, { isPassing });
}

function codeIn(body: string): string | null {
  try {
    return textOrNull(objectOf(objectOf(JSON.parse(body)).error).code) ?? null;
  } catch {
    return null;
  }
}

const LONGEST_WORDS = 500;

function toWords(body: string): string {
  let words = body;
  try {
    const parsed: unknown = JSON.parse(body);
    const { error, message, detail } = objectOf(Array.isArray(parsed) ? parsed[0] : parsed);
    words = isRecord(error)
      ? (textOrNull(error.message) ?? body)
      : (textOrNull(error) ?? textOrNull(message) ?? textOrNull(detail) ?? body);
  } catch {}
  const line = words.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS)}…` : line;
}
