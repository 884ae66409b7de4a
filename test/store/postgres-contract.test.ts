import { describe, test } from "vitest";
import { storeContract } from "../../src/runtime/store/contract-suite/store-contract.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { openPostgres } from "../../src/runtime/store/postgres/open-postgres.ts";
import { needs } from "../support/machine.ts";
import { createDatabase } from "../support/postgres-database.ts";

describe("the store in PostgreSQL (S3, S4, S10)", needs("postgres"), () => {
  const contract = storeContract({
    async make() {
      const url = await createDatabase();
      return { open: async (lease) => createStore(await openPostgres(url), lease && { lease }) };
    },
  });
  for (const { name, check } of contract) test(name, check);
});
