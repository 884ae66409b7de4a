/** The unfinished messages of one server together: one may be of any size, the others share `pool` bytes. */
export interface Backlog {
  join(signal: AbortSignal | null): Share;
}

/** One stream's share. */
export interface Share {
  /** Announces how much the stream is about to hold; if that is too much, resolves when it fits. */
  hold(bytes: number): Promise<void> | null;
  /** Returns everything, and stops waiting. */
  leave(): void;
}

/**
 * Streams that find no room wait, and their senders with them. The first of them gets the turn, with room for the
 * largest message: so all get through, and their total stays bounded.
 */
export function createBacklog(pool: number): Backlog {
  let pooled = 0;
  let turn: object | null = null;
  const waiting = new Set<() => void>();

  const wake = (): void => {
    const all = [...waiting];
    waiting.clear();
    for (const look of all) look();
  };

  return {
    join(signal) {
      const self = {};
      let mine = 0;
      let hasLeft = false;

      const settle = (bytes: number): boolean => {
        const others = turn === self ? pooled : pooled - mine;
        if (others + bytes <= pool) {
          const freed = turn === self || bytes < mine;
          if (turn === self) turn = null;
          pooled = others + bytes;
          mine = bytes;
          if (freed) wake();
          return true;
        }
        if (turn !== null && turn !== self) return false;
        if (turn === null) {
          turn = self;
          pooled = others;
          wake();
        }
        mine = bytes;
        return true;
      };
      const wait = (bytes: number): Promise<void> =>
        new Promise((resolve) => {
          const look = (): void => {
            signal?.removeEventListener("abort", look);
            waiting.delete(look);
            if (hasLeft || signal?.aborted === true || settle(bytes)) resolve();
            else {
              waiting.add(look);
              signal?.addEventListener("abort", look);
            }
          };
          look();
        });

      return {
        hold: (bytes) => (settle(bytes) ? null : wait(bytes)),
        leave() {
          hasLeft = true;
          settle(0);
          wake();
        },
      };
    },
  };
}
