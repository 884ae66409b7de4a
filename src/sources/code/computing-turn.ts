import type { CodeOwner } from "../code-port.ts";
import { createShares } from "./shares.ts";

/** One run's slot among those that compute; it has none while it waits for its calls. */
export interface ComputingTurn {
  /** Does this once it has a slot. */
  within(work: () => void): void;
  /** It has stopped computing. */
  leave(): void;
}

const computing = createShares(12);

export function createTurn(owner: CodeOwner): ComputingTurn {
  let isIn = false;
  let giveUp: (() => void) | null = null;
  let works: (() => void)[] = [];
  const enter = (): void => {
    isIn = true;
    giveUp = null;
    for (const work of works.splice(0)) work();
  };
  return {
    within(work) {
      if (isIn) return work();
      works.push(work);
      if (giveUp !== null) return;
      const cancel = computing.take(owner, 1, enter);
      if (!isIn) giveUp = cancel;
    },
    leave() {
      giveUp?.();
      giveUp = null;
      works = [];
      if (isIn) computing.give(owner, 1);
      isIn = false;
    },
  };
}
