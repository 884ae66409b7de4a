import { type AuditRow, isCall } from "./audit-row.ts";

/** What rows are about, for retention; rows about the log itself and the configuration are kept. */
export type RowKind = "calls" | "approvals" | "people" | "other";

export function rowKind(row: AuditRow): RowKind {
  if (isCall(row)) return "calls";
  if (row.type === "inspector.acted" || row.type.startsWith("approval.")) return "approvals";
  return /^(?:person|authorization|client|token|login|session)\./.test(row.type) ? "people" : "other";
}
