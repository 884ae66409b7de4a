import { setTimeout } from "node:timers/promises";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { backoffDelay } from "../../../system/time/backoff.ts";
import type { Batch } from "../back-end.ts";
import type { ChangeSql, RunSql, SqlDriver, SqlValue } from "../sql/sql-driver.ts";
import type { Pool } from "./load-pg.ts";
import type { PostgresBell } from "./postgres-bell.ts";
import { createWithClient, type PostgresClient, type PostgresPatience, type WithClient } from "./postgres-client.ts";
import { isAgain, isRefusal, toUnavailable } from "./postgres-failure.ts";

const POLL_EVERY = 1_000;
const TRIES = 6;
/** Milliseconds before a transaction that conflicted is retried: all retries together take a second. */
const PAUSE = { backoffFirst: 20, backoffMost: 500 };
const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
/** An arbitrary unique number: "toolcrib" as bytes. */
const SCHEMA_LOCK = "8390880619506657890";

export interface PostgresParts {
  readonly place: string;
  readonly pool: Pool;
  readonly bell: PostgresBell;
  readonly schema: string;
  readonly patience: Partial<PostgresPatience> | undefined;
}

export function createPostgresDriver({ place, pool, bell, schema, patience }: PostgresParts): SqlDriver {
  const withClient = createWithClient(pool, patience);
  let closed = false;
  const statements = new Map<string, string>();
  const toText = (sql: string): string => {
    const known = statements.get(sql) ?? numberPlaces(sql);
    statements.set(sql, known);
    return known;
  };
  const ask = (client: PostgresClient, sql: string, values: readonly SqlValue[] = []) =>
    client.query({ text: toText(sql), values: [...values] });
  const runOn =
    (client: PostgresClient): RunSql =>
    async (sql, values) =>
      (await ask(client, sql, values)).rows;
  const changeOn =
    (client: PostgresClient): ChangeSql =>
    async (sql, values) =>
      (await ask(client, sql, values)).rowCount ?? 0;
  const reported = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closed) throw new ToolcribError("store.unavailable", "the store is closed");
    try {
      return await work();
    } catch (error) {
      throw toUnavailable(error);
    }
  };
  return {
    place,
    now: NOW,
    // Within a span no index changes, so that PostgreSQL need not write any for an event.
    addChangedSpan: ["ALTER TABLE journal ADD COLUMN changed_span BIGINT GENERATED ALWAYS AS (changed / 10000) STORED"],
    bytewise: ' COLLATE "C"',
    forUpdate: " FOR UPDATE",
    lockSchema: [`SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`, `CREATE SCHEMA IF NOT EXISTS ${schema}`],
    lockUses: ["LOCK TABLE part_use IN SHARE ROW EXCLUSIVE MODE"],
    lockFeed: "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))",
    pollEvery: POLL_EVERY,
    bell,
    read: (sql, values) => reported(() => withClient((client) => runOn(client)(sql, values))),
    transaction: (work) => reported(() => transact(withClient, (client) => work(runOn(client), changeOn(client)))),
    changeAtOnce: (sql, values) => reported(() => transact(withClient, (client) => changeOn(client)(sql, values))),
    appendAtOnce: (batch) => reported(() => withClient((client) => appendAtOnce(client, batch))),
    async close() {
      if (closed) return;
      closed = true;
      await bell.close();
      await pool.end();
    },
  };
}

async function transact<T>(withClient: WithClient, work: (client: PostgresClient) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const ended = await withClient((client) => tryOnce(client, work));
    if ("result" in ended) return ended.result;
    if (!isAgain(ended.error) || tries >= TRIES) throw ended.error;
    await setTimeout(backoffDelay(tries - 1, Math.random(), PAUSE));
  }
}

/** An error that is returned as a value has left the connection usable. */
async function tryOnce<T>(
  client: PostgresClient,
  work: (client: PostgresClient) => Promise<T>,
): Promise<{ readonly result: T } | { readonly error: unknown }> {
  await client.query({ text: "BEGIN" });
  try {
    const result = await work(client);
    await client.query({ text: "COMMIT" });
    return { result };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await client.query({ text: "ROLLBACK" });
    return { error };
  }
}

/** One round trip: the end of the journal moves, and only then are the events inserted. */
async function appendAtOnce(client: PostgresClient, { sessionId, epoch, after, rows }: Batch): Promise<boolean> {
  const values = [
    sessionId,
    epoch,
    after,
    after + rows.length,
    rows.map(({ seq }) => seq),
    rows.map(({ id }) => id),
    rows.map(({ type }) => type),
    rows.map(({ at }) => at),
    rows.map(({ body }) => body),
    rows.map(({ apart }) => apart),
  ];
  // A named statement is planned once per connection.
  const { rowCount } = await client.query({ name: "toolcrib-append", text: APPEND, values });
  return rowCount === rows.length;
}

const APPEND = `WITH held AS (
    UPDATE journal SET seq = $4, changed = ${NOW} WHERE id = $1 AND epoch = $2 AND seq = $3 RETURNING id
  )
  INSERT INTO event (session, seq, id, type, at, body, apart)
  SELECT held.id, row.* FROM held,
    unnest($5::bigint[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::text[]) AS row`;

/** PostgreSQL numbers its placeholders. */
function numberPlaces(sql: string): string {
  let place = 0;
  return sql.replace(/\?/g, () => {
    place += 1;
    return `$${place}`;
  });
}
