import { stat } from "node:fs/promises";
import { type AuditCall, type AuditRow, isCall } from "./audit-row.ts";
import { readAudit } from "./read-audit.ts";

/** How far back a look goes: some thousand rows. */
const LAST_BYTES = 2 * 1024 * 1024;

/** The newest calls of one owner in the end of a log, newest first. */
export async function readLastCalls(
  path: string,
  principal: string,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<readonly (AuditRow & AuditCall)[]> {
  const size = (await stat(path).catch(() => null))?.size ?? 0;
  const found: (AuditRow & AuditCall)[] = [];
  for await (const { row } of readAudit(path, signal, Math.max(0, size - LAST_BYTES))) {
    if (row === null || !isCall(row) || row.type !== "call" || row.principal !== principal) continue;
    found.push(row);
    if (found.length > most) found.shift();
  }
  return found.reverse();
}
