/** Failures and internal events, for the host program. */
export interface Logger {
  /** A failure that no caller gets to see. */
  error(text: string, error: unknown): void;
  /** An internal event, for troubleshooting. */
  debug(text: string): void;
  /** Each message to and from servers and extensions, one line each, without secrets; off if absent. */
  readonly wire?: ((text: string) => void) | undefined;
}

export const SILENT: Logger = { error: () => {}, debug: () => {} };
