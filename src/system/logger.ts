/** What goes wrong and what happens inside, for the program around. */
export interface Logger {
  /** Something went wrong that no caller hears of. */
  error(text: string, error: unknown): void;
  /** What happens, for whoever looks for a fault. */
  debug(text: string): void;
  /** Each message to and from servers and extensions, one line each, without secrets; nobody hears them if absent. */
  readonly wire?: ((text: string) => void) | undefined;
}

export const SILENT: Logger = { error: () => {}, debug: () => {} };
