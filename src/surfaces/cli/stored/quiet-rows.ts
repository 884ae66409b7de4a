import type { AuditRow } from "../../../runtime/audit/audit-row.ts";

interface QuietRows {
  /** What to show once this row is read. */
  next(row: AuditRow): readonly AuditRow[];
  /** What is left at the end. */
  rest(): readonly AuditRow[];
}

/** Leaves out that a log was opened and closed only for a client's hook, which happens at each of its calls. */
export function createQuietRows(): QuietRows {
  /** Opened, and nothing has been written since. */
  const held = new Map<string, AuditRow>();
  const ofHooks = new Set<string>();
  return {
    next(row) {
      const { run, type } = row;
      if (type === "log.opened") {
        held.set(run, row);
        return [];
      }
      const opened = held.get(run);
      held.delete(run);
      if (type === "call.judged" && opened !== undefined) ofHooks.add(run);
      else if (opened !== undefined) return [opened, row];
      return type === "log.closed" && ofHooks.has(run) ? [] : [row];
    },
    rest: () => [...held.values()],
  };
}
