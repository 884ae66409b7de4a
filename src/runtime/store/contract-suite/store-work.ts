import type { LeaseTimes } from "../lease.ts";
import type { Store } from "../store.ts";

/** One check. Stores that it opens are those of separate processes, on the same data, and closed when it ends. */
export type StoreWork = (open: (lease?: LeaseTimes) => Promise<Store>) => Promise<void>;
