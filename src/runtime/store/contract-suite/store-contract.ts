import type { ContractCheck } from "../../../sources/contract-suite/source-contract.ts";
import type { LeaseTimes } from "../lease.ts";
import type { Store } from "../store.ts";
import { feedChecks } from "./feed-checks.ts";
import { holderChecks } from "./holder-checks.ts";
import { journalChecks } from "./journal-checks.ts";
import { keyValueChecks } from "./key-value-checks.ts";
import { logChecks } from "./log-checks.ts";
import { questionChecks } from "./question-checks.ts";
import type { StoreWork } from "./store-work.ts";

/** One set of data, and what only its maker can do with it. */
export interface StoreSubject {
  /** Opens the same data, as another process would. */
  open(lease?: LeaseTimes): Promise<Store>;
  /** Cleans up what the maker set up; all stores are closed by then. */
  readonly dispose?: () => void | Promise<void>;
}

export interface StoreContract {
  /** Called again for each check. */
  readonly make: () => StoreSubject | Promise<StoreSubject>;
}

/**
 * What every store must do, as checks that any test runner can run: `for (const { name, check } of storeContract({ make
 * })) test(name, check);`
 */
export function storeContract({ make }: StoreContract): readonly ContractCheck[] {
  const checks = Object.entries({
    ...journalChecks,
    ...holderChecks,
    ...questionChecks,
    ...keyValueChecks,
    ...feedChecks,
    ...logChecks,
  });
  return checks.map(([name, work]) => ({ name, check: () => perform(make, work) }));
}

/** However slow the machine is, no process counts as gone unless a check says so. */
const UNHURRIED: LeaseTimes = { beat: 3_000, lost: 3_600_000, takeOver: 3_600_000 };

async function perform(make: StoreContract["make"], work: StoreWork): Promise<void> {
  const subject = await make();
  const opened: Store[] = [];
  try {
    await work(async (lease = UNHURRIED) => {
      const store = await subject.open(lease);
      opened.push(store);
      return store;
    });
  } finally {
    for (const store of opened) await store.close();
    await subject.dispose?.();
  }
}
