import { setTimeout as pass } from "node:timers/promises";
import { loadSqlite } from "../../runtime/store/sqlite/sqlite-engine.ts";
import { tryOutEarly } from "../../system/sandbox/create-sandbox.ts";

/** Milliseconds after which the answer has been written. */
const WRITTEN = 1;

/**
 * Begins what a process has to do once for its sessions, while its client reads the answer to its first request. A session that
 * is sooner does the same itself; what fails here is said where it is needed.
 */
export async function beginEarly(workspace: string): Promise<void> {
  await pass(WRITTEN);
  // It mostly waits for a process.
  const trying = tryOutEarly(workspace).catch(() => {});
  await pass(0);
  try {
    loadSqlite();
  } catch {
    // The store says so where one is wanted.
  }
  await trying;
}
