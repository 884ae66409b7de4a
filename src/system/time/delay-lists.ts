interface Timers {
  setTimeout(callback: () => void, delay: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** Delays of calls: long, hardly ever reached, and few different ones. */
const LONG = 10_000;
const MOST_LISTS = 32;
/** The longest wait the system supports; it treats a longer one as zero. */
const LONGEST = 2 ** 31 - 1;

/**
 * Timers that share one system timer per long delay. Every call sets two and clears them a moment later; as separate
 * system timers these would cost more than the rest of its timekeeping.
 */
export function createDelayLists(now: () => number): Timers {
  const lists = new Map<number, DelayList>();
  const listFor = (delay: number): DelayList | undefined => {
    const known = lists.get(delay);
    if (known !== undefined || delay < LONG || lists.size >= MOST_LISTS) return known;
    const list = new DelayList(delay, now);
    lists.set(delay, list);
    return list;
  };
  return {
    setTimeout: (callback, delay) => listFor(delay)?.add(callback) ?? setTimeout(callback, delay),
    clearTimeout(timer) {
      if (timer instanceof Due) timer.list.remove(timer);
      else clearTimeout(timer as NodeJS.Timeout); // Made right above.
    },
  };
}

class Due {
  readonly list: DelayList;
  readonly callback: () => void;
  readonly at: number;
  /** Its neighbours while it waits. */
  before: Due | null = null;
  after: Due | null = null;
  isWaiting = true;

  constructor(list: DelayList, callback: () => void, at: number) {
    this.list = list;
    this.callback = callback;
    this.at = at;
  }
}

/**
 * Timers of one delay: the first one set expires first. They are chained, because a set keeps what was deleted from it in
 * memory for long (see `createPassingMap`).
 */
class DelayList {
  readonly #delay: number;
  readonly #now: () => number;
  #first: Due | null = null;
  #last: Due | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(delay: number, now: () => number) {
    this.#delay = delay;
    this.#now = now;
  }

  add(callback: () => void): Due {
    const due = new Due(this, callback, this.#now() + this.#delay);
    const last = this.#last;
    due.before = last;
    if (last === null) this.#first = due;
    else last.after = due;
    this.#last = due;
    if (this.#timer === null) this.#timer = this.#wait(this.#delay);
    else if (last === null) this.#timer.ref();
    return due;
  }

  /** The system's timer stays for the next one, and does not keep the process alive. */
  remove(due: Due): void {
    if (this.#take(due) && this.#first === null) this.#timer?.unref();
  }

  /** False if it no longer waited. */
  #take(due: Due): boolean {
    if (!due.isWaiting) return false;
    const { before, after } = due;
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
    // One that lives on must not keep its former neighbours.
    due.before = null;
    due.after = null;
    due.isWaiting = false;
    return true;
  }

  #wait(delay: number): NodeJS.Timeout {
    return setTimeout(this.#look, Math.min(delay, LONGEST));
  }

  readonly #look = (): void => {
    const now = this.#now();
    const over: Due[] = [];
    let next = this.#first;
    for (; next !== null && next.at <= now; next = next.after) over.push(next);
    this.#timer = next === null ? null : this.#wait(next.at - now);
    // An expired timer may clear another one.
    for (const due of over) if (this.#take(due)) due.callback();
    if (this.#first === null) this.#timer?.unref();
  };
}
