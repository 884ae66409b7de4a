import { readShareRow, type ShareRow } from "../../core/limits/share-row.ts";
import {
  type Budget,
  isAboutCaller,
  type LimitedCaller,
  toBudget,
  type UsageLimit,
} from "../../core/limits/usage-limit.ts";
import { type SharePlace, shareValues } from "./share-place.ts";
import { stretchAt } from "./stretch.ts";

/** What was used of one budget, on all machines. */
export interface UsedBudget {
  readonly limit: UsageLimit;
  /** What it is for, beside the person. */
  readonly of: Budget["of"];
  readonly used: number;
  /** Milliseconds since 1970 at which it begins again; null for calls at once. */
  readonly until: number | null;
}

/**
 * What somebody has used of all limits about them, by what machines have said so far; a budget that is shared with others as
 * a whole. The clients of a person count all.
 */
export async function readUsage(
  limits: readonly UsageLimit[],
  caller: LimitedCaller,
  place: SharePlace,
): Promise<readonly UsedBudget[]> {
  const now = place.now();
  const rows = createRowReader(place);
  const used = await Promise.all(
    limits
      .filter((limit) => isAboutCaller({ ...limit, clients: null }, caller))
      .map(async (limit): Promise<readonly UsedBudget[]> => {
        const isOwn = limit.each.includes("person");
        const until = limit.period === null ? null : stretchAt(limit.period, now).end;
        const found = [...(await rows(limit, isOwn ? caller.person : ""))].flatMap(([key, value]): UsedBudget[] => {
          const row = readShareRow(value, []);
          if (key !== keyAt(limit, row.of, now) || !isTheirs(row, caller)) return [];
          return [{ limit, of: row.of.filter(([each]) => each !== "person"), used: usedOf(limit, row, now), until }];
        });
        return found.length > 0 ? found : [{ limit, of: [], used: 0, until }];
      }),
  );
  return used.flat();
}

/** The key of a budget's row. */
function keyAt(limit: UsageLimit, of: Budget["of"], now: number): string {
  const { id } = toBudget(limit, of);
  return limit.period === null ? id : `${id}:${stretchAt(limit.period, now).start}`;
}

/** Each list of rows is read once, however many limits have some in it. */
function createRowReader(
  place: SharePlace,
): (limit: UsageLimit, person: string) => Promise<ReadonlyMap<string, unknown>> {
  const reading = new Map<string, Promise<ReadonlyMap<string, unknown>>>();
  return ({ period }, person) => {
    const key = `${period ?? ""} ${person}`;
    const rows = reading.get(key) ?? shareValues(place, period, person).entries();
    reading.set(key, rows);
    return rows;
  };
}

function isTheirs({ of }: ShareRow, { groups }: LimitedCaller): boolean {
  return of.every(([each, value]) => each !== "group" || groups.includes(value));
}

function usedOf({ measure }: UsageLimit, { used, shares }: ShareRow, now: number): number {
  if (measure !== "atOnce") return used;
  return shares.reduce((sum, { amount, until }) => (until > now ? sum + amount : sum), 0);
}
