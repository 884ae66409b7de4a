import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";

export type { Client, Pool, PoolClient } from "pg";

/** The package `pg`, on first use. */
export async function loadPg(): Promise<typeof import("pg").default> {
  try {
    const loaded = await import("pg");
    return loaded.default;
  } catch {
    const text = "PostgreSQL needs the package pg: npm install pg";
    throw new ToolcribError("store.not-installed", text);
  }
}
