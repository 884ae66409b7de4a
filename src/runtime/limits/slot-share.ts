import type { Lack } from "../../core/limits/describe-limit.ts";
import { type Claim, readShareRow, type Settled, settleShare } from "../../core/limits/share-row.ts";
import type { Budget } from "../../core/limits/usage-limit.ts";
import { LEASE, PAUSE, personOf, RENEW, type SharePlace, shareValues } from "./share-place.ts";

const NOTHING: Claim = { seq: 0, amount: 0, spent: 0, free: 0 };
/** Milliseconds for which slots that nobody uses are kept at most. */
const IDLE = 2_000;

/** Of calls that may run at once, those that this process may run (O13). None starts that no machine has room for. */
export class SlotShare {
  #budget: Budget;
  /** Another object has its place now. */
  isForgotten = false;
  readonly #place: SharePlace;
  #last = NOTHING;
  #open: readonly Claim[] = [];
  #seq = 0;
  /** Slots that it has, until then. */
  #slots = 0;
  #until = 0;
  #running = 0;
  #usedAt = 0;
  #elsewhere = 0;
  #lack: Lack | null = null;
  #lackUntil = 0;
  #waiting = 0;
  #settling: Promise<void> | null = null;
  #isPassed = false;

  constructor(budget: Budget, place: SharePlace) {
    this.#budget = budget;
    this.#place = place;
  }

  get budget(): Budget {
    return this.#budget;
  }

  /** From now on so many may run; those that run already are among them. */
  follow(budget: Budget): void {
    if (budget.limit.most === this.budget.limit.most) return;
    this.#budget = budget;
    this.#until = 0;
    this.#lackUntil = 0;
    this.#isPassed = false;
  }

  hasRoom(now: number): boolean {
    return this.budget.limit.isSoft || (this.#running < this.#slots && now < this.#until);
  }

  enter(now: number): void {
    this.#running += 1;
    this.#usedAt = now;
    if (this.#running > this.#slots && this.#settling === null) void this.#settle(now);
  }

  leave(now: number): void {
    this.#running -= 1;
    this.#usedAt = now;
    if (this.#hasTooMany && this.#settling === null) void this.#settle(now);
  }

  lack(now: number): Lack | null {
    return now < this.#lackUntil ? this.#lack : null;
  }

  /** What runs here, and what other machines have. */
  get used(): number {
    return this.#running + this.#elsewhere;
  }

  /** Whether more run than a soft limit says; true once until fewer do. */
  passesNow(): boolean {
    const wasPassed = this.#isPassed;
    this.#isPassed = this.used > this.budget.limit.most;
    return this.#isPassed && !wasPassed;
  }

  get isOpen(): boolean {
    return this.#running > 0 || this.#slots > 0 || this.#last.amount > 0 || this.#settling !== null;
  }

  /** Asks the store for a slot; all who wait share one question. Why there is none, or null if there may be one. */
  async refill(): Promise<Lack | null> {
    this.#waiting += 1;
    try {
      const earlier = this.#settling;
      await (earlier ?? this.#settle(this.#place.now()));
      // What was asked before was perhaps to give some back.
      if (earlier !== null && !this.hasRoom(this.#place.now())) await this.#settle(this.#place.now());
      return this.#lack;
    } finally {
      this.#waiting -= 1;
    }
  }

  tick(now: number): Promise<void> | null {
    if (this.#settling !== null || !this.isOpen || (this.#lack?.kind === "unknown" && now < this.#lackUntil))
      return null;
    const isIdle = this.#slots > this.#running && now > this.#usedAt + IDLE;
    return isIdle || now > this.#until - RENEW ? this.#settle(now) : null;
  }

  /** It says everything at once. */
  say(): Promise<void> {
    return this.#settling ?? Promise.resolve();
  }

  async release(now: number): Promise<void> {
    this.#usedAt = 0;
    while (this.#settling !== null) await this.#settling;
    await this.#settle(now);
  }

  /** Slots that are kept although nothing runs in them: as many as can be spared on each machine. */
  #spare(): number {
    const { most } = this.budget.limit;
    const machines = this.#place.machines();
    return machines === 1 ? most : Math.floor(most / (4 * machines));
  }

  get #hasTooMany(): boolean {
    return this.#slots - this.#running - this.#waiting > this.#spare();
  }

  #settle(now: number): Promise<void> {
    this.#settling ??= this.#ask(now).finally(() => {
      this.#settling = null;
      // Calls may have ended meanwhile.
      if (this.#hasTooMany && this.#lack?.kind !== "unknown") void this.#settle(this.#place.now());
    });
    return this.#settling;
  }

  async #ask(now: number): Promise<void> {
    const { budget } = this;
    const values = shareValues(this.#place, null, personOf(budget.of));
    const kept = now > this.#usedAt + IDLE ? 0 : Math.min(this.#slots, this.#running + this.#spare());
    // What is given back must not be used meanwhile.
    this.#slots = Math.min(this.#slots, Math.max(kept, this.#running));
    this.#seq = this.#place.nextSeq();
    let settled: Settled | null = null;
    let asked = 0;
    try {
      await values.change(budget.id, (value) => {
        asked = Math.max(this.#slots, this.#running + this.#waiting);
        settled = settleShare(readShareRow(value, budget.of), {
          ...{ machine: this.#place.store.machine, now, until: now + LEASE, seq: this.#seq, comesBack: true },
          ...{ last: this.#last, open: this.#open, most: budget.limit.most },
          // What runs already cannot be given back.
          wants: (left) => Math.max(this.#running, Math.min(left, asked)),
        });
        return settled.row.shares.length === 0 ? undefined : settled.row;
      });
    } catch (error) {
      if (settled !== null) this.#open = [...this.#open, { ...NOTHING, seq: this.#seq }];
      this.#lack = { kind: "unknown" };
      this.#lackUntil = now + PAUSE;
      this.#place.onError("calls that run at once could not be counted, and are counted again", error);
      return;
    }
    if (settled !== null) this.#take(settled, asked, now);
  }

  #take({ amount, elsewhere }: Settled, asked: number, now: number): void {
    this.#last = { ...NOTHING, seq: this.#seq, amount };
    this.#open = [];
    this.#slots = amount;
    this.#until = now + LEASE;
    this.#elsewhere = elsewhere.amount;
    // Nobody says when a call ends on another machine, so the next one asks again.
    this.#lack = amount < asked ? { kind: "running" } : null;
    this.#lackUntil = 0;
  }
}
