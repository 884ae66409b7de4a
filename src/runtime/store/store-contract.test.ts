import { join } from "node:path";
import { describe, test } from "vitest";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { type StoreContract, storeContract } from "./contract-suite/store-contract.ts";
import { createStore } from "./create-store.ts";
import { createMemoryBackEnd } from "./memory-back-end.ts";
import { createMemoryTables } from "./memory-tables.ts";
import { openSqlite } from "./sqlite/open-sqlite.ts";

const STORES: Readonly<Record<string, StoreContract["make"]>> = {
  memory() {
    const tables = createMemoryTables();
    return { open: async (lease) => createStore(createMemoryBackEnd(tables), lease && { lease }) };
  },
  sqlite() {
    const path = join(tempWorkspace().base, "state", "sessions.db");
    return { open: async (lease) => createStore(await openSqlite(path), lease && { lease }) };
  },
};

describe.each(Object.entries(STORES))(
  "the store in %s, with one writer, questions that wait and sessions deleted whole (S3, S4, S10)",
  (_, make) => {
    for (const { name, check } of storeContract({ make })) test(name, check);
  },
);
