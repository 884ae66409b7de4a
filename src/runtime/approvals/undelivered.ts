/** Why something did not arrive, without any part of an address but its host: the rest may be a secret. */
export class Undelivered extends Error {
  override readonly name = "Undelivered";
  /** Whether another try makes sense. */
  readonly isFinal: boolean;
  /** Milliseconds until then, where the other side says so. */
  readonly retryAfter: number | null;

  constructor(text: string, how: { readonly isFinal: boolean; readonly retryAfter?: number | null; cause?: unknown }) {
    super(text, { cause: how.cause });
    this.isFinal = how.isFinal;
    this.retryAfter = how.retryAfter ?? null;
  }
}
