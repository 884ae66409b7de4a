import type { QueryConfig, QueryResult } from "pg";
import { whileAwake } from "../../../system/time/while-awake.ts";
import type { SqlRow } from "../sql/sql-driver.ts";
import type { Pool, PoolClient } from "./load-pg.ts";

/** Milliseconds of this process's own running time: a process that was suspended must not take the server for dead. */
export interface PostgresPatience {
  readonly connect: number;
  /** A server that stopped answering must not block a session for ever. */
  readonly query: number;
}

/** A connection in use. */
export interface PostgresClient {
  query(query: QueryConfig): Promise<QueryResult<SqlRow>>;
}

/** Uses a connection for some work. A connection that failed is not reused. */
export type WithClient = <T>(work: (client: PostgresClient) => Promise<T>) => Promise<T>;

const PATIENCE: PostgresPatience = { connect: 5_000, query: 15_000 };

export function createWithClient(pool: Pool, given: Partial<PostgresPatience> = {}): WithClient {
  const { connect, query } = { ...PATIENCE, ...given };
  const take = (): Promise<PoolClient> => {
    const coming = pool.connect();
    return whileAwake(coming, connect, () => {
      coming.then((client) => client.release()).catch(() => {}); // If it connects after all, it serves the next caller.
      return new Error(`no connection within ${connect / 1_000} s`);
    });
  };
  const late = (): Error => new Error(`no answer within ${query / 1_000} s`);
  return async (work) => {
    const client = await take();
    let isGood = false;
    try {
      const result = await work({ query: (asked) => whileAwake(client.query<SqlRow>(asked), query, late) });
      isGood = true;
      return result;
    } finally {
      client.release(!isGood);
    }
  };
}
