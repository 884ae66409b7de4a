import type { BackEnd } from "../back-end.ts";
import { openSqlBackEnd } from "../sql/sql-back-end.ts";
import { loadPg } from "./load-pg.ts";
import { createPostgresBell } from "./postgres-bell.ts";
import { createPostgresDriver } from "./postgres-driver.ts";

const SCHEMA = "toolcrib";
const INT8 = 20;

/** Opens the store in a PostgreSQL database, in a schema of its own. */
export async function openPostgres(url: string): Promise<BackEnd> {
  const pg = await loadPg();
  const connection = {
    connectionString: url,
    application_name: "toolcrib",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    options: `-c search_path=${SCHEMA}`,
  };
  const pool = new pg.Pool({
    ...connection,
    max: 10,
    // A server that answers nothing any more must not hold a session for ever.
    query_timeout: 15_000,
    types: { getTypeParser: ((oid: number) => (oid === INT8 ? Number : pg.types.getTypeParser(oid))) as never },
  });
  // Without a listener, a connection that breaks would end the process, whether somebody uses it or not.
  pool.on("error", () => {}).on("connect", (client) => void client.on("error", () => {}));
  const bell = createPostgresBell(() => new pg.Client(connection), SCHEMA);
  const driver = createPostgresDriver({ pool, bell, schema: SCHEMA });
  try {
    return await openSqlBackEnd(driver);
  } catch (error) {
    await driver.close();
    throw error;
  }
}
