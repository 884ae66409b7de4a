import { describeLimit, type Lack } from "../../core/limits/describe-limit.ts";
import type { Budget, Period, UsageLimit } from "../../core/limits/usage-limit.ts";
import { type Clock, SYSTEM_CLOCK, type Timer } from "../../system/time/clock.ts";
import { keepNobodyAwake } from "../../system/time/keep-nobody-awake.ts";
import type { PeoplePlace } from "../people/contract.ts";
import { type SharePlace, UNUSED_FOR } from "./share-place.ts";
import { SlotShare } from "./slot-share.ts";
import { SpentShare } from "./spent-share.ts";
import { type Stretch, stretchAt } from "./stretch.ts";

/** What this process may use of all budgets, and says about them to the store. */
export interface Ledger {
  spent(budget: Budget, period: Period, now: number): SpentShare;
  slots(budget: Budget): SlotShare;
  /** It was used or asked about, so that the store has to know of it in a while. */
  touch(share: AnyShare): void;
  readonly place: SharePlace;
  /** What this process has used lately. */
  readonly shares: Iterable<AnyShare>;
  /** Says what was used, and gives back what was not. */
  close(): Promise<void>;
}

export type AnyShare = SpentShare | SlotShare;

export interface LedgerOptions {
  /** The machines' own; memory of this process alone if there is none. */
  readonly place: PeoplePlace;
  readonly onError: (text: string, error: unknown) => void;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Milliseconds between two looks at what has to be said. */
const TICK = 1_000;
const AT_ONCE = 8;
/** Milliseconds between two counts of the machines, two errors in the log, and two rounds of tidying. */
const COUNT = 5_000;
const QUIET = 60_000;
const TIDY = 3_600_000;
/** Budgets that are remembered though nothing has to be said about them. */
const MOST_KEPT = 50_000;

export function createLedger({ place: given, onError, clock = SYSTEM_CLOCK, now = Date.now }: LedgerOptions): Ledger {
  const shares = new Map<string, AnyShare>();
  const open = new Set<AnyShare>();
  /** Ends of stretches of which shares were forgotten: their machine may have started unasked before. */
  const forgotten = new Map<Period, number>();
  let machines = 1;
  let seq = 0;
  const times = { counted: 0, tidied: now() };
  const place: SharePlace = {
    ...given,
    ...{ now, machines: () => machines, nextSeq: () => ++seq, onError: rarely(onError, now) },
  };
  const count = async (): Promise<void> => {
    times.counted = now();
    // While nobody can say, it stays as it was.
    const all = await given.store.machines().catch(() => null);
    if (all !== null) machines = Math.max(1, all.length);
  };
  const tidy = async (): Promise<void> => {
    times.tidied = now();
    for (const [name, unchangedFor] of UNUSED_FOR)
      await given.store.expire({ kind: "key-values", name }, unchangedFor).catch(() => {});
  };
  const forget = (): void => {
    for (const [key, share] of shares) {
      if (open.has(share)) continue;
      const isOver = share instanceof SpentShare ? !share.isNow(now()) : true;
      if (!isOver && shares.size < MOST_KEPT) continue;
      if (share instanceof SpentShare && !isOver && share.isTouched)
        forgotten.set(share.budget.limit.period ?? "minute", share.stretch.end);
      share.isForgotten = true;
      shares.delete(key);
    }
  };
  const tick = async (): Promise<void> => {
    if (open.size > 0 && now() > times.counted + COUNT) await count();
    if (shares.size > 0 && now() > times.tidied + TIDY) await tidy();
    const due = [...open][Symbol.iterator]();
    const work = async (): Promise<void> => {
      for (const share of due) {
        await share.tick(now());
        if (!share.isOpen) open.delete(share);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    forget();
  };
  void count();
  const stop = everyTick(clock, tick, onError);
  /** One process has one share of a budget: of two that say different things the store would lose one. */
  const make = <S extends AnyShare>(budget: Budget, key: string, create: () => S): S => {
    const known = shares.get(key);
    known?.follow(budget);
    // The key says which of both it is.
    const share = (known ?? create()) as S;
    if (known === undefined) shares.set(key, share);
    return share;
  };
  return {
    place,
    shares: { [Symbol.iterator]: () => shares.values() },
    spent(budget, period, at) {
      const stretch: Stretch = stretchAt(period, at);
      const key = `${budget.id}:${stretch.start}`;
      const mayStart = (forgotten.get(period) ?? 0) < stretch.end;
      return make(budget, key, () => new SpentShare(budget, stretch, place, mayStart));
    },
    slots(budget) {
      return make(budget, budget.id, () => new SlotShare(budget, place));
    },
    touch: (share) => void open.add(share),
    async close() {
      await stop();
      await Promise.all([...open].map((share) => share.release(now())));
    },
  };
}

/** What goes wrong goes wrong again and again while a store is away. */
function rarely(onError: LedgerOptions["onError"], now: () => number): LedgerOptions["onError"] {
  let reported = 0;
  return (text, error) => {
    if (now() < reported + QUIET) return;
    reported = now();
    onError(text, error);
  };
}

/** One after the other; returns how to stop. */
function everyTick(clock: Clock, tick: () => Promise<void>, onError: LedgerOptions["onError"]): () => Promise<void> {
  let isClosed = false;
  let timer: Timer = null;
  let running: Promise<void> = Promise.resolve();
  const again = (): void => {
    if (isClosed) return;
    timer = clock.setTimeout(() => {
      running = tick()
        .catch((error: unknown) => onError("what was used of limits could not be stored", error))
        .then(again);
    }, TICK);
    keepNobodyAwake(timer);
  };
  again();
  return () => {
    isClosed = true;
    clock.clearTimeout(timer);
    return running;
  };
}

/** Takes one of each, or says what is missing: at once if that is known, else when the store has said it. */
export function takeOneOfEach<S extends AnyShare>(
  shares: readonly S[],
  now: () => number,
  take: (share: S) => void,
): Missing | null | Promise<Missing | null> {
  if (shares.every((share) => share.hasRoom(now()))) {
    for (const share of shares) take(share);
    return null;
  }
  const known = findLack(shares, now());
  return known ?? waitForEach(shares, now, take);
}

interface Missing {
  readonly budget: Budget;
  readonly lack: Lack;
}

export function findLack(shares: readonly AnyShare[], now: number): Missing | null {
  for (const share of shares) {
    const lack = share.hasRoom(now) ? null : share.lack(now);
    if (lack !== null) return { budget: share.budget, lack };
  }
  return null;
}

/** Soft limits that are passed and were not before. */
export function findPassed(
  shares: readonly AnyShare[],
): readonly { readonly limit: UsageLimit; readonly text: string }[] {
  return shares.flatMap((share) => {
    const { limit } = share.budget;
    if (!limit.isSoft || !share.passesNow()) return [];
    return [{ limit, text: `The limit of ${describeLimit(limit)} is passed; it refuses nothing.` }];
  });
}

/** Others may take what was asked for; but not again and again. */
const MOST_ROUNDS = 5;

async function waitForEach<S extends AnyShare>(
  shares: readonly S[],
  now: () => number,
  take: (share: S) => void,
): Promise<Missing | null> {
  let last: Missing | null = null;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const lacking = shares.filter((share) => !share.hasRoom(now()));
    const lacks = await Promise.all(lacking.map(async (share) => ({ share, lack: await share.refill() })));
    if (shares.every((share) => share.hasRoom(now()))) {
      for (const share of shares) take(share);
      return null;
    }
    for (const { share, lack } of lacks)
      if (lack !== null && !share.hasRoom(now())) return { budget: share.budget, lack };
    const [first] = lacking;
    if (first !== undefined) last = { budget: first.budget, lack: { kind: "unknown" } };
  }
  return last;
}
