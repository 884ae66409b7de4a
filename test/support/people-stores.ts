import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import { openPostgres } from "../../src/runtime/store/postgres/open-postgres.ts";
import { openSqlite } from "../../src/runtime/store/sqlite/open-sqlite.ts";
import type { Store } from "../../src/runtime/store/store.ts";
import { createDatabase } from "./postgres-database.ts";
import { makeTempFolder } from "./temp-folder.ts";

/** One store, opened by as many machines as a test wants. */
export interface OneStore {
  open(): Promise<Store>;
}

type Kind = keyof typeof MAKERS;

const MAKERS = {
  memory: async () => {
    const tables = createMemoryTables();
    return async () => createStore(createMemoryBackEnd(tables));
  },
  sqlite: async () => {
    const path = join(makeTempFolder(), "sessions.db");
    return async () => createStore(await openSqlite(path));
  },
  postgres: async () => {
    const url = await createDatabase();
    return async () => createStore(await openPostgres(url));
  },
};

/** A new store of this kind; what was opened is closed after the test. */
export async function makeStore(kind: Kind): Promise<OneStore> {
  const openOne = await MAKERS[kind]();
  return {
    async open() {
      const store = await openOne();
      onTestFinished(() => store.close());
      return store;
    },
  };
}
