import type { AuditRow } from "../audit-row.ts";
import type { Carried, RowGap } from "../carry-rows.ts";

/** A row as it leaves, whatever carries it. */
export interface ExportedRow {
  /** The same whenever it is sent: receivers that have it already can pass it over. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly type: string;
  /** Something was refused or is missing. */
  readonly isWarning: boolean;
  /** One line of JSON. */
  readonly text: string;
  /** Null for what says that rows are missing. */
  readonly row: AuditRow | null;
}

/** How a row is written. */
export type RowFormat = (row: AuditRow | RowGap, line: string) => string;

export const toolcribFormat: RowFormat = (row, line) =>
  "hash" in row ? `{"id":"${row.hash}",${line.slice(1)}` : JSON.stringify({ type: GAP, ...row });

const GAP = "export.gap";
const WARNINGS: ReadonlySet<string> = new Set([
  ...["person.refused", "token.refused", "authorization.replayed", "session.principal_mismatch"],
  ...["config.refused", "log.moved", "log.torn", "tool.quarantined"],
]);

export function toExported(carried: Carried, format: RowFormat): ExportedRow {
  if (carried.gap !== undefined) {
    const { gap } = carried;
    const own = { id: gap.id, time: Date.parse(gap.time), type: GAP, isWarning: true };
    return { ...own, text: format(gap, ""), row: null };
  }
  const { row, line } = carried;
  const isRefused = "decision" in row && row.decision?.decision === "deny";
  const own = { id: row.hash, time: Date.parse(row.time), type: row.type };
  return { ...own, isWarning: isRefused || WARNINGS.has(row.type), text: format(row, line), row };
}
