import { randomUUID } from "node:crypto";
import { isRecord } from "../../core/shape/is-record.ts";
import { SYSTEM_CLOCK } from "../../system/time/clock.ts";
import { pause } from "../../system/time/until-aborted.ts";
import type { KeyValues } from "./store.ts";

/** Where a lease lies, for work that only one machine may do at a time. */
export interface LeasePlace {
  readonly values: KeyValues;
  readonly key: string;
}

interface LeaseTimes {
  /** Milliseconds between two beats of who has it. */
  readonly beat: number;
  /** Milliseconds without a beat after which who has it is taken for dead. */
  readonly dead: number;
  /** Milliseconds between two looks at a lease that somebody else has. */
  readonly look: number;
}

const TIMES: LeaseTimes = { beat: 1_000, dead: 4_000, look: 150 };

/**
 * Does work that only one machine may do at a time. Nobody's clock counts: a lease is taken over once it was seen to
 * stand still for long enough, as after a crash. Rejects when the signal is aborted while it waits.
 */
export async function withLease<T>(
  place: LeasePlace,
  signal: AbortSignal,
  work: () => Promise<T>,
  times: LeaseTimes = TIMES,
): Promise<T> {
  const holder = randomUUID();
  await take(place, holder, signal, times);
  const { values, key } = place;
  let beats = 0;
  const timer = setInterval(() => {
    beats += 1;
    const own = beats;
    const isOurs = (value: unknown): boolean => toHeld(value)?.holder === holder;
    void values.change(key, (value) => (isOurs(value) ? { holder, beat: own } : value)).catch(() => {}); // It counts as one missed.
  }, times.beat);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    // If this fails, the lease stands still for a while.
    await values.change(key, (value) => (toHeld(value)?.holder === holder ? undefined : value)).catch(() => {});
  }
}

async function take({ values, key }: LeasePlace, holder: string, signal: AbortSignal, times: LeaseTimes) {
  const { look, dead } = times;
  let seen = "";
  let since = 0;
  for (;;) {
    signal.throwIfAborted();
    const now = SYSTEM_CLOCK.now();
    const found = describe(await values.get(key));
    if (found !== seen) [seen, since] = [found, now];
    if (found === "" || now - since >= dead) {
      let isTaken = false;
      await values.change(key, (value) => {
        isTaken = describe(value) === found;
        return isTaken ? { holder, beat: 0 } : value;
      });
      if (isTaken) return;
    }
    await pause(SYSTEM_CLOCK, look, signal);
  }
}

function describe(value: unknown): string {
  const held = toHeld(value);
  return held === null ? "" : `${held.holder} ${held.beat}`;
}

interface Held {
  readonly holder: string;
  readonly beat: number;
}

function toHeld(value: unknown): Held | null {
  if (!isRecord(value) || typeof value.holder !== "string" || typeof value.beat !== "number") return null;
  return { holder: value.holder, beat: value.beat };
}
