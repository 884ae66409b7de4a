import type { LogRowFilter, StoredLog, StoredLogBody, StoredLogRow } from "../stored-log.ts";
import { inPieces, placesFor, rowsOf, type SqlDriver, type SqlRow, type SqlValue } from "./sql-driver.ts";

const COLUMNS = "run, seq, at, kind, person, prev, hash, line";
const ADD_ROWS = `INSERT INTO log_row (scope, ${COLUMNS}) VALUES`;
const ADD_BODIES = "INSERT INTO log_body (scope, run, seq, at, person, sealed) VALUES";
const UNLESS_THERE = "ON CONFLICT (scope, run, seq) DO NOTHING";

export function createSqlLog(driver: SqlDriver): StoredLog {
  return {
    addRows: (scope, rows) =>
      driver.transaction((_, change) =>
        inPieces(rows, (piece) => {
          const values = piece.flatMap((row) => [
            ...[scope, row.run, row.seq, row.at, row.kind, row.person, row.prev, row.hash, row.line],
          ]);
          return change(`${ADD_ROWS} ${rowsOf("(?, ?, ?, ?, ?, ?, ?, ?, ?)", piece)} ${UNLESS_THERE}`, values);
        }),
      ),
    async rows(scope, which) {
      const [where, values] = toWhere(which);
      const order = "run" in which ? "seq" : "at DESC, run DESC, seq DESC";
      const sql = `SELECT ${COLUMNS} FROM log_row WHERE scope = ?${where} ORDER BY ${order} LIMIT ?`;
      return (await driver.read(sql, [scope, ...values, which.limit])).map(toLogRow);
    },
    async runs(scope) {
      const rows = await driver.read("SELECT DISTINCT run FROM log_row WHERE scope = ? ORDER BY run", [scope]);
      return rows.map(({ run }) => String(run));
    },
    blankRows: (scope, { kind, before, except = [] }) =>
      driver.transaction((_, change) => {
        const sql = `UPDATE log_row SET line = NULL, person = '' WHERE scope = ? AND kind = ? AND at < ? AND line IS NOT NULL${spared(except)}`;
        return change(sql, [scope, kind, before, ...except]);
      }),
    addBodies: (scope, bodies) =>
      driver.transaction((_, change) =>
        inPieces(bodies, (piece) => {
          const values = piece.flatMap(({ run, seq, at, person, sealed }) => [scope, run, seq, at, person, sealed]);
          return change(`${ADD_BODIES} ${rowsOf("(?, ?, ?, ?, ?, ?)", piece)} ${UNLESS_THERE}`, values);
        }),
      ),
    async bodies(scope, of) {
      const found: StoredLogBody[] = [];
      await inPieces(of, async (piece) => {
        const where = piece.map(() => "(run = ? AND seq = ?)").join(" OR ");
        const sql = `SELECT run, seq, at, person, sealed FROM log_body WHERE scope = ? AND (${where})`;
        const rows = await driver.read(sql, [scope, ...piece.flatMap(({ run, seq }) => [run, seq])]);
        found.push(...rows.map(toLogBody));
      });
      return found;
    },
    deleteBodies: (scope, { person, before, except = [] }) =>
      driver.transaction((_, change) => {
        const own = person === undefined ? "" : " AND person = ?";
        const sql = `DELETE FROM log_body WHERE scope = ? AND at < ?${own}${spared(except)}`;
        return change(sql, [scope, before, ...(person === undefined ? [] : [person]), ...except]);
      }),
  };
}

function spared(except: readonly string[]): string {
  return except.length === 0 ? "" : ` AND person NOT IN (${placesFor(except)})`;
}

function toWhere(which: LogRowFilter): readonly [string, readonly SqlValue[]] {
  if ("run" in which) return [" AND run = ? AND seq > ?", [which.run, which.after]];
  const { person, since, before } = which;
  const parts: (readonly [string, readonly SqlValue[]])[] = [
    ...(person === undefined ? [] : [[" AND person = ?", [person]] as const]),
    ...(since === undefined ? [] : [[" AND at >= ?", [since]] as const]),
  ];
  if (before !== undefined) {
    const { at, run, seq } = before;
    parts.push([" AND (at < ? OR (at = ? AND (run < ? OR (run = ? AND seq < ?))))", [at, at, run, run, seq]]);
  }
  return [parts.map(([text]) => text).join(""), parts.flatMap(([, values]) => values)];
}

function toLogRow({ run, seq, at, kind, person, prev, hash, line }: SqlRow): StoredLogRow {
  return {
    ...{ run: String(run), seq: Number(seq), at: Number(at), kind: String(kind), person: String(person) },
    ...{ prev: String(prev), hash: String(hash), line: line === null ? null : String(line) },
  };
}

function toLogBody({ run, seq, at, person, sealed }: SqlRow): StoredLogBody {
  return { run: String(run), seq: Number(seq), at: Number(at), person: String(person), sealed: String(sealed) };
}
