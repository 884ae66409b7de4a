import { isRecord } from "../shape/is-record.ts";
import type { Budget } from "./usage-limit.ts";

/** What machines have used and set aside of one budget, in one span of time; stored like this. */
export interface ShareRow {
  readonly used: number;
  readonly shares: readonly Share[];
  /** What the budget is for, for people who look at it. */
  readonly of: Budget["of"];
}

/** What one machine may use without asking. It counts as used until the machine says how much of it was. */
interface Share {
  readonly machine: string;
  readonly amount: number;
  /** Milliseconds since 1970; then the machine uses it no longer. */
  readonly until: number;
  /** Counts what the machine wrote, so that it recognises its own last word. */
  readonly seq: number;
}

/** What a machine says about its share, and wants next. */
export interface Settlement {
  readonly machine: string;
  readonly now: number;
  /** Its next share. */
  readonly until: number;
  readonly seq: number;
  /** The share that it had last, as far as it knows. */
  readonly last: Claim;
  /** Attempts to settle of which it does not know whether they were stored. */
  readonly open: readonly Claim[];
  readonly most: number;
  /** What it wants of what is left, where it has so much of its last share. */
  readonly wants: (left: number, unspent: number) => number;
  /** What nobody gives back is used, unless it comes back by itself: the calls of a machine that ended run no longer. */
  readonly comesBack: boolean;
}

export interface Claim {
  readonly seq: number;
  readonly amount: number;
  /** Used of the share that it replaces, or of itself so far. */
  readonly spent: number;
  /** Used beside any share. */
  readonly free: number;
}

export interface Settled {
  readonly row: ShareRow;
  readonly amount: number;
  /** What others have of it, and when the first of it ends. */
  readonly elsewhere: { readonly amount: number; readonly until: number };
}

/**
 * The row with what the machine used, and with its next share. Whatever is stored twice, lost, late or never, the sum of
 * what was used of shares is at most what the row says.
 */
export function settleShare(row: ShareRow, settlement: Settlement): Settled {
  const { machine, now, until, seq, most, wants, comesBack } = settlement;
  const mine = row.shares.find((share) => share.machine === machine);
  const rest = row.shares.filter((share) => share.machine !== machine);
  const living = rest.filter((share) => share.until > now);
  const ended = sumOf(rest) - sumOf(living);
  const { spent, unspent } = toSpent(mine, settlement);
  const used = comesBack ? 0 : row.used + ended + spent;
  const others = sumOf(living);
  const amount = wants(most - used - others, unspent);
  const own = amount > 0 ? [{ machine, amount, until, seq }] : [];
  return {
    row: { used, shares: [...living, ...own], of: row.of },
    amount,
    elsewhere: { amount: others, until: Math.min(...living.map((share) => share.until)) },
  };
}

/** What it used that the row does not have yet, and what it still had. */
function toSpent(
  mine: Share | undefined,
  { last, open }: Settlement,
): { readonly spent: number; readonly unspent: number } {
  const landed = open.find(({ seq }) => seq === mine?.seq);
  const free = last.free - (landed?.free ?? 0);
  if (landed !== undefined) {
    // The row already has what was used before that attempt.
    const since = last.spent - landed.spent;
    return { spent: since + free, unspent: Math.max(0, landed.amount - since) };
  }
  if (mine?.seq === last.seq) return { spent: last.spent + free, unspent: Math.max(0, last.amount - last.spent) };
  // The whole share was counted when it ended. One that it does not know is lost.
  return { spent: Math.max(0, last.spent - last.amount) + free + (mine?.amount ?? 0), unspent: 0 };
}

function sumOf(shares: readonly Share[]): number {
  return shares.reduce((sum, { amount }) => sum + amount, 0);
}

/** As it was written; an empty one for what only another version could have written. */
export function readShareRow(value: unknown, of: Budget["of"]): ShareRow {
  if (!isRecord(value) || typeof value.used !== "number" || !Array.isArray(value.shares))
    return { used: 0, shares: [], of };
  return value as unknown as ShareRow;
}
