import type { BackEnd } from "../back-end.ts";
import { migrate } from "./schema.ts";
import type { SqlDriver } from "./sql-driver.ts";
import { createSqlJournals } from "./sql-journals.ts";
import { createSqlKeyValues } from "./sql-key-values.ts";
import { createSqlLog } from "./sql-log.ts";
import { createSqlMachines } from "./sql-machines.ts";
import { createSqlMessages } from "./sql-messages.ts";
import { createSqlParts } from "./sql-parts.ts";
import { createSqlQuestions } from "./sql-questions.ts";

/** A back end on any database that speaks this SQL. */
export async function openSqlBackEnd(driver: SqlDriver): Promise<BackEnd> {
  await migrate(driver);
  return {
    pollEvery: driver.pollEvery,
    bell: driver.bell,
    ...createSqlMachines(driver),
    ...createSqlJournals(driver),
    ...createSqlQuestions(driver),
    ...createSqlKeyValues(driver),
    ...createSqlParts(driver),
    ...createSqlMessages(driver),
    log: createSqlLog(driver),
    close: driver.close,
  };
}
