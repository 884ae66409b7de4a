import type { LeaseTimes } from "../lease.ts";
import type { Store } from "../store.ts";

/**
 * One check. Each store that it opens acts as a separate process on the same data, and is closed when the check ends.
 */
export type StoreWork = (open: (lease?: LeaseTimes) => Promise<Store>) => Promise<void>;
