import pg from "pg";
import { startPostgres } from "../../test/support/postgres-server.mjs";
import { cpuOfProcess } from "../process-tree.mjs";

/**
 * A PostgreSQL of a point's own, with one database.
 * @typedef {object} OwnPostgres
 * @property {string} url
 * @property {(sql: string, values?: unknown[]) => Promise<readonly Record<string, unknown>[]>} run
 * @property {(sql: string) => Promise<number>} numberOf the one value that a query answers
 * @property {() => Promise<number>} cpu milliseconds of the connections that Toolcrib has open now; not what the server does by itself
 * @property {() => Promise<void>} dispose
 */

/** @returns {Promise<OwnPostgres>} */
export async function openOwnPostgres() {
  const server = await startPostgres();
  const url = await server.createDatabase("curve");
  const client = new pg.Client({ connectionString: url, options: "-c search_path=toolcrib -c work_mem=256MB" });
  // The server ends first.
  client.on("error", () => {});
  await client.connect();
  const run = async (/** @type {string} */ sql, /** @type {unknown[]} */ values = []) =>
    (await client.query(sql, values)).rows;
  return {
    url,
    run,
    numberOf: async (sql) => Number(Object.values((await run(sql))[0] ?? {})[0]),
    async cpu() {
      const rows = await run("SELECT pid FROM pg_stat_activity WHERE application_name = 'toolcrib'");
      return rows.reduce((sum, { pid }) => sum + cpuOfProcess(Number(pid)), 0);
    },
    async dispose() {
      await client.end().catch(() => {});
      await server.dispose();
    },
  };
}
