import type { Tokens } from "../../token-port.ts";

/** Checks for a login while a server waits for one, so that nothing has to be restarted after a person logs in. */
export interface LoginWatch {
  /** Call this whenever the state may have changed. */
  look(): void;
  close(): void;
}

export interface LoginWatchOptions {
  readonly tokens: Pick<Tokens, "hasOther">;
  readonly isWaiting: () => boolean;
  /** Milliseconds between two checks. */
  readonly every: number;
  readonly onLogin: () => void;
}

export function createLoginWatch({ tokens, isWaiting, every, onLogin }: LoginWatchOptions): LoginWatch {
  let timer: NodeJS.Timeout | null = null;
  let closed = false;
  const wait = (): void => {
    // The timer does not keep the process alive.
    timer = setTimeout(() => void check(), every).unref();
  };
  const check = async (): Promise<void> => {
    const found = isWaiting() && (await tokens.hasOther().catch(() => false));
    timer = null;
    if (closed || !isWaiting()) return;
    if (found) onLogin();
    else wait();
  };
  return {
    look() {
      if (timer === null && !closed && isWaiting()) wait();
    },
    close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
