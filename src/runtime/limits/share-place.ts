import type { Period } from "../../core/limits/usage-limit.ts";
import type { PeoplePlace } from "../people/contract.ts";
import type { KeyValues } from "../store/store.ts";

/** Where shares are taken from. */
export interface SharePlace extends PeoplePlace {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How many processes take shares, as far as known; at least one. */
  readonly machines: () => number;
  /** Another number each time. */
  readonly nextSeq: () => number;
  readonly onError: (text: string, error: unknown) => void;
}

/** Milliseconds for which a share counts: so long is a killed machine's part missing, and so late may a clock be. */
export const LEASE = 10_000;
/** Milliseconds before its end at which a share in use is renewed. */
export const RENEW = 5_000;
/** Milliseconds until the store is asked again after it failed. */
export const PAUSE = 1_000;

/** Milliseconds after which a row that has not changed is of no use. */
export const UNUSED_FOR: ReadonlyMap<string, number> = new Map([
  ["limits.minute", 3_600_000],
  ["limits.day", 3 * 86_400_000],
  ["limits.month", 63 * 86_400_000],
  ["limits.atOnce", 3_600_000],
]);

/** The rows of one person, or of what is shared by several. */
export function shareValues({ store, scope }: PeoplePlace, period: Period | null, person: string): KeyValues {
  return store.keyValues({ name: `limits.${period ?? "atOnce"}`, person, project: scope });
}

/** Whose rows a budget is among. */
export function personOf(of: readonly (readonly [string, string])[]): string {
  return of.find(([each]) => each === "person")?.[1] ?? "";
}
