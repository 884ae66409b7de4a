/** Lets each caller begin in its turn, so that who asks for much waits for itself and not others for it. */
export interface Turns {
  /** Null: it may begin now. Else resolves when it may. What one client asks for begins in order. */
  wait(owner: string, client: string): Promise<void> | null;
  /**
   * Null if nothing of the owner waits. Else resolves when more may be taken in from the client, after all that waits
   * already: what has been read costs others time before it begins.
   */
  rest(owner: string, client: string): Promise<void> | null;
}

export interface TurnsPorts {
  /** Milliseconds. */
  readonly now: () => number;
  /** Calls back once all that follows from what began has been done, as far as it waits for nothing outside. */
  readonly soon: (work: () => void) => void;
  /** Calls back after what has arrived meanwhile was taken in. */
  readonly later: (work: () => void) => void;
}

/** Milliseconds for which requests begin before others are taken in. */
const SLICE = 1;
/** Milliseconds of a slice that reading one more request will take. */
const READING = 0.1;
/** Milliseconds for which an owner is still reckoned with. */
const RECENT = 1_000;

const PORTS: TurnsPorts = { now: () => performance.now(), soon: process.nextTick, later: setImmediate };

export function createTurns(ports: TurnsPorts = PORTS): Turns {
  return new FairTurns(ports);
}

interface Waiting {
  readonly begin: () => void;
  /** Milliseconds that it will take afterwards. */
  readonly cost: number;
}

class FairTurns implements Turns {
  readonly #ports: TurnsPorts;
  /** Owners in the order of their turns, and the clients of each in theirs. */
  readonly #owners = new Map<string, Map<string, Waiting[]>>();
  #last = "";
  /** When an owner was another one than the one before. */
  #changed = Number.NEGATIVE_INFINITY;
  /** When the current slice is over; null between slices. */
  #until: number | null = null;

  constructor(ports: TurnsPorts) {
    this.#ports = ports;
  }

  wait(owner: string, client: string): Promise<void> | null {
    const now = this.#ports.now();
    if (owner !== this.#last) {
      // The first owner of all is alone.
      if (this.#last !== "") this.#changed = now;
      this.#last = owner;
    }
    if (this.#owners.size === 0) {
      // Nobody else would gain from it, and it costs to begin many things apart.
      if (now - this.#changed > RECENT) return null;
      if (this.#until === null) this.#open(now);
      else if (now >= this.#until) return this.#queue(owner, client);
      return null;
    }
    return this.#queue(owner, client);
  }

  rest(owner: string, client: string): Promise<void> | null {
    return this.#owners.has(owner) ? this.#queue(owner, client, READING) : null;
  }

  #queue(owner: string, client: string, cost = 0): Promise<void> {
    const clients = this.#owners.get(owner) ?? new Map<string, Waiting[]>();
    this.#owners.set(owner, clients);
    return new Promise((begin) => {
      const waiting = clients.get(client);
      if (waiting === undefined) clients.set(client, [{ begin, cost }]);
      else waiting.push({ begin, cost });
    });
  }

  #open(now: number): void {
    this.#until = now + SLICE;
    this.#ports.later(this.#goOn);
  }

  /** A slice has passed, and what arrived meanwhile is here. */
  readonly #goOn = (): void => {
    this.#until = null;
    if (this.#owners.size === 0) return;
    this.#open(this.#ports.now());
    this.#step();
  };

  readonly #step = (): void => {
    const next = this.#next();
    if (next === null) return;
    if (this.#until !== null) this.#until -= next.cost;
    next.begin();
    if (this.#owners.size > 0 && this.#ports.now() < (this.#until ?? 0)) this.#ports.soon(this.#step);
  };

  /** The next one of the owner whose turn it is, who then is the last in turn, and its client the last of its own. */
  #next(): Waiting | null {
    for (const [owner, clients] of this.#owners)
      for (const [client, waiting] of clients) {
        const first = waiting.shift() ?? null;
        clients.delete(client);
        if (waiting.length > 0) clients.set(client, waiting);
        this.#owners.delete(owner);
        if (clients.size > 0) this.#owners.set(owner, clients);
        return first;
      }
    return null;
  }
}
