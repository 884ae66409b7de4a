/** What calls may take, unless their tool says otherwise. */
export interface ExecutorLimits {
  /** Milliseconds for a tool without a limit of its own. */
  readonly timeout: number;
  /** Bytes of text that a model gets at once. */
  readonly resultBytes: number;
  /** Milliseconds that one run of code may compute, not counting the time in which it waits for calls. */
  readonly computing: number;
}

export const DEFAULT_LIMITS: ExecutorLimits = {
  timeout: 120_000,
  resultBytes: 50 * 1024,
  computing: 10_000,
};
