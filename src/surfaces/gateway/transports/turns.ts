import { releaseInput } from "../../../system/process/held-input.ts";
import { afterwards } from "../../../system/time/afterwards.ts";
import { SHARED_SLICE, shareUntil } from "../../../system/time/slices.ts";

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
  /** All that began in a slice has been done. */
  readonly over: () => void;
  /** Several owners are there, and are reckoned with until then. */
  readonly shared: (until: number) => void;
}

/** Milliseconds of a slice that reading one more request will take. */
const READING = 0.1;
/** Milliseconds for which an owner is still reckoned with. */
const RECENT = 1_000;

const PORTS: TurnsPorts = {
  now: () => performance.now(),
  soon: afterwards,
  later: setImmediate,
  over: releaseInput,
  shared: shareUntil,
};

export function createTurns(ports: TurnsPorts = PORTS): Turns {
  return new FairTurns(ports);
}

interface Waiting {
  readonly begin: () => void;
  /** It only takes in more. */
  readonly isRest: boolean;
}

type Clients = Map<string, Waiting[]>;

class FairTurns implements Turns {
  readonly #ports: TurnsPorts;
  /** The clients of each owner for which something waits, in their order. */
  readonly #owners = new Map<string, Clients>();
  /** How much each owner had of late. */
  readonly #used: Usage;
  #last = "";
  /** When an owner was another one than the one before. */
  #changed = Number.NEGATIVE_INFINITY;
  /** When the current slice is over; null between slices. */
  #until: number | null = null;

  constructor(ports: TurnsPorts) {
    this.#ports = ports;
    this.#used = new Usage(ports.now());
  }

  wait(owner: string, client: string): Promise<void> | null {
    const now = this.#ports.now();
    if (owner !== this.#last) {
      // The first owner of all is alone.
      if (this.#last !== "") {
        this.#changed = now;
        this.#ports.shared(now + RECENT);
      }
      this.#last = owner;
    }
    if (this.#owners.size === 0) {
      // Nobody else would gain from it, and it costs to begin many things apart.
      if (now - this.#changed > RECENT) return null;
      if (this.#until === null) this.#open(now);
      else if (now >= this.#until) return this.#queue(owner, client);
      this.#used.add(owner, 1, now);
      return null;
    }
    return this.#queue(owner, client);
  }

  rest(owner: string, client: string): Promise<void> | null {
    return this.#owners.has(owner) ? this.#queue(owner, client, true) : null;
  }

  #queue(owner: string, client: string, isRest = false): Promise<void> {
    const clients: Clients = this.#owners.get(owner) ?? new Map();
    this.#owners.set(owner, clients);
    return new Promise((begin) => {
      const waiting = clients.get(client);
      if (waiting === undefined) clients.set(client, [{ begin, isRest }]);
      else waiting.push({ begin, isRest });
    });
  }

  #open(now: number): void {
    // Requests begin for so long before others are taken in.
    this.#until = now + SHARED_SLICE;
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
    if (next.isRest && this.#until !== null) this.#until -= READING;
    next.begin();
    this.#ports.soon(this.#more);
  };

  /** What follows from the one before has been done, and took its time. */
  readonly #more = (): void => {
    if (this.#owners.size > 0 && this.#ports.now() < (this.#until ?? 0)) this.#step();
    else this.#ports.over();
  };

  /** The next one of the owner that had least of late. */
  #next(): Waiting | null {
    const owner = this.#used.least(this.#owners.keys());
    const clients = this.#owners.get(owner);
    const [first] = clients ?? [];
    if (clients === undefined || first === undefined) return null;
    const [client, waiting] = first;
    const next = waiting.shift() ?? null;
    // Its client is the last of its own in turn now.
    clients.delete(client);
    if (waiting.length > 0) clients.set(client, waiting);
    if (clients.size === 0) this.#owners.delete(owner);
    this.#used.add(owner, next?.isRest ? READING : 1, this.#ports.now());
    return next;
  }
}

/** Milliseconds after which what somebody had counts half. */
const HALF_LIFE = 1_000;
/** Half-lives after which it counts for nothing. */
const FORGOTTEN = 20;

/**
 * How much each had of late. What is had later counts for more, instead of what was had earlier for less: so the order of
 * all stays the same while nobody has anything.
 */
class Usage {
  readonly #of = new Map<string, number>();
  #since: number;

  constructor(now: number) {
    this.#since = now;
  }

  add(who: string, amount: number, now: number): void {
    const age = (now - this.#since) / HALF_LIFE;
    if (age > FORGOTTEN) this.#forget(2 ** -age, now);
    const weight = age > FORGOTTEN ? 1 : 2 ** age;
    this.#of.set(who, (this.#of.get(who) ?? 0) + amount * weight);
  }

  /** The first of those that had least; an empty text if there is none. */
  least(among: Iterable<string>): string {
    let found = "";
    let least = Number.POSITIVE_INFINITY;
    for (const who of among) {
      const had = this.#of.get(who) ?? 0;
      if (had >= least) continue;
      found = who;
      least = had;
    }
    return found;
  }

  #forget(factor: number, now: number): void {
    this.#since = now;
    for (const [who, had] of this.#of) {
      const left = had * factor;
      if (left < 2 ** -FORGOTTEN) this.#of.delete(who);
      else this.#of.set(who, left);
    }
  }
}
