/**
 * Turns of the event loop, one piece of work each, so that many pieces at once do not block everything else. Callers
 * that want several turns alternate with all others.
 */
export interface LoopTurns {
  /** Resolves in a turn in which no other piece is done: at once if none was. */
  take(who: string): Promise<void>;
}

const NOW = Promise.resolve();

export function createLoopTurns(): LoopTurns {
  const waiting = new Map<string, (() => void)[]>();
  let isTaken = false;
  const next = (): void => {
    const [first] = waiting;
    if (first === undefined) {
      isTaken = false;
      return;
    }
    const [who, wishes] = first;
    // Moves it to the end.
    waiting.delete(who);
    const wish = wishes.shift();
    if (wishes.length > 0) waiting.set(who, wishes);
    wish?.();
    setImmediate(next);
  };
  return {
    take(who) {
      if (isTaken) {
        return new Promise((resolve) => {
          const wishes = waiting.get(who);
          if (wishes === undefined) waiting.set(who, [resolve]);
          else wishes.push(resolve);
        });
      }
      isTaken = true;
      setImmediate(next);
      return NOW;
    },
  };
}

/** The turns of this process. */
export const LOOP_TURNS: LoopTurns = createLoopTurns();
