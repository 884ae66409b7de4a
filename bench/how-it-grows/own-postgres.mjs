import pg from "pg";
import { startPostgres } from "../../test/support/postgres-server.mjs";
import { cpuOfProcess } from "../process-tree.mjs";
import { atEnd } from "./tidy.mjs";

/**
 * A PostgreSQL of a point's own, with one database. It ends with the point.
 * @typedef {object} OwnPostgres
 * @property {string} url
 * @property {(sql: string, values?: unknown[]) => Promise<readonly Record<string, unknown>[]>} run
 * @property {(sql: string) => Promise<number>} numberOf the one value that a query answers
 * @property {() => Promise<number>} cpu milliseconds of the connections that Toolcrib has and had; not what the server does by itself
 */

/** @returns {Promise<OwnPostgres>} */
export async function openOwnPostgres() {
  const server = await startPostgres();
  atEnd(() => server.dispose());
  const url = await server.createDatabase("curve");
  const client = new pg.Client({ connectionString: url, options: "-c search_path=toolcrib -c work_mem=256MB" });
  // The server ends first.
  client.on("error", () => {});
  await client.connect();
  atEnd(() => client.end().catch(() => {}));
  /** By connection, those that were closed meanwhile as they were last seen. @type {Map<number, number>} */
  const used = new Map();
  const run = async (/** @type {string} */ sql, /** @type {unknown[]} */ values = []) =>
    (await client.query(sql, values)).rows;
  return {
    url,
    run,
    numberOf: async (sql) => Number(Object.values((await run(sql))[0] ?? {})[0]),
    async cpu() {
      const rows = await run("SELECT pid FROM pg_stat_activity WHERE application_name = 'toolcrib'");
      for (const { pid } of rows) used.set(Number(pid), cpuOfProcess(Number(pid)));
      return [...used.values()].reduce((sum, each) => sum + each, 0);
    },
  };
}
