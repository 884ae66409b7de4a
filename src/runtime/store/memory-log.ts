import type { MemoryLog, MemoryTables } from "./memory-tables.ts";
import type { LogRowId, StoredLog, StoredLogRow } from "./stored-log.ts";

export function createMemoryLog({ logs }: MemoryTables): StoredLog {
  const logOf = (scope: string): MemoryLog => {
    const known = logs.get(scope) ?? { rows: new Map(), bodies: new Map() };
    logs.set(scope, known);
    return known;
  };
  return {
    async addRows(scope, added) {
      const { rows } = logOf(scope);
      for (const row of added) if (!rows.has(keyOf(row))) rows.set(keyOf(row), row);
    },
    async rows(scope, which) {
      const all = [...logOf(scope).rows.values()];
      if ("run" in which) {
        const own = all.filter(({ run, seq }) => run === which.run && seq > which.after);
        return own.sort((one, other) => one.seq - other.seq).slice(0, which.limit);
      }
      const { person, since = Number.NEGATIVE_INFINITY, before, limit } = which;
      return all
        .filter((row) => (person ?? row.person) === row.person && row.at >= since)
        .sort(byNewest)
        .filter((row) => before === undefined || byNewest(before, row) < 0)
        .slice(0, limit);
    },
    runs: async (scope) => [...new Set([...logOf(scope).rows.values()].map(({ run }) => run))].sort(),
    async blankRows(scope, { kind, before, except = [] }) {
      const { rows } = logOf(scope);
      let count = 0;
      for (const [key, row] of rows) {
        if (row.kind !== kind || row.at >= before || row.line === null || except.includes(row.person)) continue;
        rows.set(key, { ...row, line: null, person: "" });
        count += 1;
      }
      return count;
    },
    async addBodies(scope, added) {
      const { bodies } = logOf(scope);
      for (const body of added) if (!bodies.has(keyOf(body))) bodies.set(keyOf(body), body);
    },
    async bodies(scope, of) {
      const { bodies } = logOf(scope);
      return of.flatMap((id) => bodies.get(keyOf(id)) ?? []);
    },
    async deleteBodies(scope, { person, before, except = [] }) {
      const { bodies } = logOf(scope);
      let count = 0;
      for (const [key, body] of bodies) {
        if (body.at >= before || (person ?? body.person) !== body.person || except.includes(body.person)) continue;
        bodies.delete(key);
        count += 1;
      }
      return count;
    },
  };
}

function keyOf({ run, seq }: LogRowId): string {
  return `${run} ${seq}`;
}

function byNewest(
  one: Pick<StoredLogRow, "at" | "run" | "seq">,
  other: Pick<StoredLogRow, "at" | "run" | "seq">,
): number {
  if (one.at !== other.at) return other.at - one.at;
  if (one.run !== other.run) return one.run < other.run ? 1 : -1;
  return other.seq - one.seq;
}
