import type { QueryConfig, QueryResult } from "pg";
import { whileAwake } from "../../../system/time/while-awake.ts";
import type { SqlRow } from "../sql/sql-driver.ts";
import type { Pool, PoolClient } from "./load-pg.ts";

/** Milliseconds, of those in which this process runs: one that stands still takes no server for gone. */
export interface PostgresPatience {
  readonly connect: number;
  /** A server that answers nothing any more must not hold a session for ever. */
  readonly query: number;
}

/** A connection while it is used. */
export interface PostgresClient {
  query(query: QueryConfig): Promise<QueryResult<SqlRow>>;
}

/** Works with a connection. One that something went wrong with is not used again. */
export type WithClient = <T>(work: (client: PostgresClient) => Promise<T>) => Promise<T>;

const PATIENCE: PostgresPatience = { connect: 5_000, query: 15_000 };

export function createWithClient(pool: Pool, given: Partial<PostgresPatience> = {}): WithClient {
  const { connect, query } = { ...PATIENCE, ...given };
  const take = (): Promise<PoolClient> => {
    const coming = pool.connect();
    return whileAwake(coming, connect, () => {
      coming.then((client) => client.release()).catch(() => {}); // Of use to whoever comes next, if it comes.
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
