import type { BackEnd } from "../back-end.ts";
import { openSqlBackEnd } from "../sql/sql-back-end.ts";
import { loadPg } from "./load-pg.ts";
import { createPostgresBell } from "./postgres-bell.ts";
import type { PostgresPatience } from "./postgres-client.ts";
import { createPostgresDriver } from "./postgres-driver.ts";

const SCHEMA = "toolcrib";
const INT8 = 20;
/** Milliseconds after which an attempt to connect is abandoned. */
const GIVEN_UP = 30_000;

/** Opens the store in a PostgreSQL database, in a schema of its own. */
export async function openPostgres(url: string, patience?: Partial<PostgresPatience>): Promise<BackEnd> {
  const pg = await loadPg();
  const connection = {
    connectionString: url,
    application_name: "toolcrib",
    connectionTimeoutMillis: GIVEN_UP,
    keepAlive: true,
    options: `-c search_path=${SCHEMA}`,
  };
  const pool = new pg.Pool({
    ...connection,
    max: 10,
    types: { getTypeParser: ((oid: number) => (oid === INT8 ? Number : pg.types.getTypeParser(oid))) as never },
  });
  // Without a listener, a broken connection would end the process, even an idle one.
  pool.on("error", () => {}).on("connect", (client) => void client.on("error", () => {}));
  const bell = createPostgresBell(() => new pg.Client(connection), SCHEMA);
  const driver = createPostgresDriver({ place: toPlace(url), pool, bell, schema: SCHEMA, patience });
  try {
    return await openSqlBackEnd(driver);
  } catch (error) {
    await driver.close();
    throw error;
  }
}

function toPlace(url: string): string {
  if (!URL.canParse(url)) return "PostgreSQL";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
