import { loadSqlite } from "../../runtime/store/sqlite/sqlite-engine.ts";
import { tryOutEarly } from "../../system/sandbox/create-sandbox.ts";

/**
 * Does what a process has to do once for its sessions, before it reads its client's first request: the sandbox is tried out by
 * another process, beside all that comes before the session. What fails here is said where it is needed.
 */
export function beginEarly(workspace: string): void {
  tryOutEarly(workspace).catch(() => {});
  try {
    loadSqlite();
  } catch {
    // The store says so where one is wanted.
  }
}
