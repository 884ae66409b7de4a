import type { Lack } from "../../core/limits/describe-limit.ts";
import { type Claim, readShareRow, type Settled, settleShare } from "../../core/limits/share-row.ts";
import type { Budget } from "../../core/limits/usage-limit.ts";
import { LEASE, PAUSE, personOf, RENEW, type SharePlace, shareValues } from "./share-place.ts";
import type { Stretch } from "./stretch.ts";

/** One part in so many of a limit may be used by each machine before it has asked, so that nobody waits for the first call. */
export const UNASKED_PART = 50;
/** A smaller share is renewed when somebody waits for it, or its time is over. */
const WORTH_RENEWING = 4;
const NOTHING: Claim = { seq: 0, amount: 0, spent: 0, free: 0 };

/** What this process may use of one budget in one stretch of time, and what it has used (O13). */
export class SpentShare {
  #budget: Budget;
  /** Another object has its place now. */
  isForgotten = false;
  readonly stretch: Stretch;
  readonly #place: SharePlace;
  #last = NOTHING;
  #open: readonly Claim[] = [];
  #seq = 0;
  #until = 0;
  /** Of what needs no share. */
  #unasked: number;
  #spent = 0;
  #free = 0;
  /** Spent when it was last settled. */
  #recent = 0;
  #settledAt = 0;
  #used = 0;
  #lack: Lack | null = null;
  #lackUntil = 0;
  #waiting = 0;
  #settling: Promise<void> | null = null;
  #isPassed = false;

  constructor(budget: Budget, stretch: Stretch, place: SharePlace, mayStartUnasked: boolean) {
    const { most, isSoft } = budget.limit;
    this.#budget = budget;
    this.stretch = stretch;
    this.#place = place;
    this.#unasked = isSoft ? Number.POSITIVE_INFINITY : mayStartUnasked ? Math.floor(most / UNASKED_PART) : 0;
  }

  get budget(): Budget {
    return this.#budget;
  }

  /** From now on the limit is this much; what was used and set aside before counts. */
  follow(budget: Budget): void {
    const { most, isSoft } = budget.limit;
    if (most === this.budget.limit.most) return;
    this.#budget = budget;
    if (!isSoft) this.#unasked = Math.min(this.#unasked, Math.floor(most / UNASKED_PART));
    this.#lackUntil = 0;
    this.#isPassed = false;
    // More than its part of a lower limit it must not go on using.
    if (this.#last.amount > 0) this.#until = 0;
  }

  isNow(now: number): boolean {
    return now < this.stretch.end && now >= this.stretch.start;
  }

  hasRoom(now: number): boolean {
    return this.#has(now) || this.#unasked > 0;
  }

  #has(now: number): boolean {
    return this.#last.amount > this.#spent && now < this.#until;
  }

  /** Used up, by calls that may run or that have run; what was asked for cannot be known before. */
  spend(amount: number, now: number): void {
    if (this.#has(now)) {
      this.#spent += amount;
      const { amount: all } = this.#last;
      // Near the end of the limit there is not more to be had in advance.
      if (all - this.#spent > all / 2 || all < WORTH_RENEWING) return;
    } else {
      this.#unasked -= amount;
      this.#free += amount;
    }
    if (this.#settling === null && now >= this.#lackUntil) void this.settle(now);
  }

  /** Why there is no room; null if nobody knows yet. */
  lack(now: number): Lack | null {
    return now < this.#lackUntil ? this.#lack : null;
  }

  /** What is known to be used on all machines, and beside that what is set aside for this one. */
  get used(): number {
    return this.#used + this.#spent + this.#free;
  }

  /** Whether more is used than a soft limit says; true once. */
  passesNow(): boolean {
    if (this.#isPassed || this.used <= this.budget.limit.most) return false;
    this.#isPassed = true;
    return true;
  }

  /** Something has to be said to the store, now or in a while. */
  get isOpen(): boolean {
    return this.#last.amount > 0 || this.#spent > 0 || this.#free > 0 || this.#settling !== null;
  }

  /** It has used what it may without asking. */
  get isTouched(): boolean {
    return !this.budget.limit.isSoft && this.#unasked < Math.floor(this.budget.limit.most / UNASKED_PART);
  }

  /** Asks the store for more; all who wait share one question. Why there is nothing, or null if there may be. */
  async refill(): Promise<Lack | null> {
    this.#waiting += 1;
    try {
      const earlier = this.#settling;
      await (earlier ?? this.settle(this.#place.now()));
      const now = this.#place.now();
      // What was asked before was perhaps asked without this one.
      if (earlier !== null && !this.hasRoom(now) && this.lack(now) === null) await this.settle(now);
      return this.#lack;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Renews the share or gives it back, if it is time. */
  tick(now: number): Promise<void> | null {
    if (this.#settling !== null || !this.isOpen || (this.#lack?.kind === "unknown" && now < this.#lackUntil))
      return null;
    const isLate = this.#last.amount > 0 && now > this.#until - RENEW;
    const isUntold = this.#free + this.#spent > 0 && now > this.#settledAt + RENEW;
    if (this.isNow(now) && !isLate && !isUntold) return null;
    return this.settle(now, this.#spent + this.#free === 0 || !this.isNow(now));
  }

  /** Says what was used. */
  say(now: number): Promise<void> {
    return this.#spent + this.#free > 0 ? this.settle(now) : Promise.resolve();
  }

  /** Gives back what is left. */
  async release(now: number): Promise<void> {
    while (this.#settling !== null) await this.#settling;
    await this.settle(now, true);
  }

  /** Says what was used, and takes another share. */
  settle(now: number, gives = false): Promise<void> {
    this.#settling ??= this.#settle(now, gives).finally(() => {
      this.#settling = null;
    });
    return this.#settling;
  }

  async #settle(now: number, gives: boolean): Promise<void> {
    const { budget, stretch } = this;
    const values = shareValues(this.#place, budget.limit.period, personOf(budget.of));
    this.#seq = this.#place.nextSeq();
    // What it gives back it must not use meanwhile.
    if (gives) this.#until = 0;
    let said = NOTHING;
    let settled: Settled | null = null;
    try {
      await values.change(`${budget.id}:${stretch.start}`, (value) => {
        said = { ...this.#last, spent: this.#spent, free: this.#free };
        settled = settleShare(readShareRow(value, budget.of), {
          ...{ machine: this.#place.store.machine, now, until: now + LEASE, seq: this.#seq, comesBack: false },
          ...{ last: said, open: this.#open, most: budget.limit.most },
          wants: (left, unspent) => (gives ? 0 : this.#wants(left, unspent)),
        });
        const { row } = settled;
        return row.used === 0 && row.shares.length === 0 ? undefined : row;
      });
    } catch (error) {
      this.#fail(said, settled, now, error);
      return;
    }
    if (settled !== null) this.#take(said, settled, now);
  }

  #take(said: Claim, { amount, row, elsewhere }: Settled, now: number): void {
    this.#spent -= said.spent;
    this.#free -= said.free;
    this.#last = { seq: this.#seq, amount, spent: 0, free: 0 };
    this.#open = [];
    this.#recent = said.spent + said.free;
    this.#until = now + LEASE;
    this.#settledAt = now;
    this.#used = row.used;
    this.#lack = null;
    this.#lackUntil = 0;
    if (amount > 0 || this.budget.limit.most - row.used - elsewhere.amount > 0) return;
    const { end } = this.stretch;
    const isElsewhere = elsewhere.amount > 0 && elsewhere.until < end;
    this.#lackUntil = isElsewhere ? elsewhere.until : end;
    this.#lack = { kind: isElsewhere ? "elsewhere" : "used", until: this.#lackUntil };
  }

  /** Nobody knows whether it was stored. */
  #fail({ spent, free }: Claim, settled: Settled | null, now: number, error: unknown): void {
    if (settled !== null) this.#open = [...this.#open, { seq: this.#seq, amount: settled.amount, spent, free }];
    this.#lack = { kind: "unknown" };
    this.#lackUntil = now + PAUSE;
    this.#place.onError("what was used of a limit could not be stored, and is said again", error);
  }

  /** About as much as it needs until it asks again, and never so much that others have to wait for it. */
  #wants(left: number, unspent: number): number {
    const { most, measure } = this.budget.limit;
    const needs = measure === "calls" ? this.#waiting : Math.min(1, this.#waiting);
    const part = Math.floor(left / (4 * this.#place.machines()));
    const likely = Math.max(Math.ceil(most / 20), 2 * this.#recent, 2 * (this.#spent + this.#free));
    return Math.max(0, Math.min(left, Math.max(needs, unspent, Math.min(part, likely))));
  }
}
