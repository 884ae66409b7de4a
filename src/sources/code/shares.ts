import type { CodeOwner } from "../code-port.ts";

/** A resource that runs of code share: slots to compute, or memory. */
export interface Shares {
  /** Takes a part now, unless that is more than the owner's share. */
  tryTake(owner: CodeOwner, amount: number): boolean;
  /** Calls back with the part taken, at once or in turn; returns how to give up waiting. */
  take(owner: CodeOwner, amount: number, onTaken: () => void): () => void;
  give(owner: CodeOwner, amount: number): void;
}

interface Wish {
  readonly owner: CodeOwner;
  readonly amount: number;
  readonly onTaken: () => void;
}

/**
 * A session may hold as much as it leaves to other sessions of its client, and a client as much as it leaves to others:
 * one alone gets a third of everything, and a newcomer always gets something. The owner that holds least is served
 * first.
 */
export function createShares(total: number): Shares {
  let free = total;
  const clients = new Map<string, number>();
  const sessions = new Map<string, number>();
  const waiting = new Set<Wish>();

  const keyOf = ({ client, session }: CodeOwner): string => JSON.stringify([client, session]);
  const nestedIn = (owner: CodeOwner): number => sessions.get(keyOf(owner)) ?? 0;
  const fits = (owner: CodeOwner, amount: number): boolean =>
    nestedIn(owner) + amount <= free - (clients.get(owner.client) ?? 0);
  const move = (owner: CodeOwner, amount: number): void => {
    free -= amount;
    add(clients, owner.client, amount);
    add(sessions, keyOf(owner), amount);
  };
  const next = (): Wish | null => {
    let best: Wish | null = null;
    // Owners that hold the same amount are served in order of arrival.
    for (const wish of waiting)
      if (fits(wish.owner, wish.amount) && (best === null || nestedIn(wish.owner) < nestedIn(best.owner))) best = wish;
    return best;
  };
  const serve = (): void => {
    for (let wish = next(); wish !== null; wish = next()) {
      waiting.delete(wish);
      move(wish.owner, wish.amount);
      wish.onTaken();
    }
  };
  return {
    tryTake(owner, amount) {
      if (!fits(owner, amount)) return false;
      move(owner, amount);
      return true;
    },
    take(owner, amount, onTaken) {
      const wish = { owner, amount, onTaken };
      waiting.add(wish);
      serve();
      return () => void waiting.delete(wish);
    },
    give(owner, amount) {
      move(owner, -amount);
      serve();
    },
  };
}

function add(held: Map<string, number>, key: string, amount: number): void {
  const now = (held.get(key) ?? 0) + amount;
  if (now === 0) held.delete(key);
  else held.set(key, now);
}
