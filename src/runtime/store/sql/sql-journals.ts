import type { BackEnd, Batch, EventRow, IsGone, Taken } from "../back-end.ts";
import type { PruneFilter, StoredSession } from "../store.ts";
import {
  type ChangeSql,
  inPieces,
  type RunSql,
  rowsOf,
  type SqlDriver,
  type SqlRow,
  type SqlValue,
  type SqlWork,
} from "./sql-driver.ts";
import { findHolder } from "./sql-machines.ts";
import { dropParts } from "./sql-parts.ts";
import { changeQuestions } from "./sql-questions.ts";

/** Milliseconds of silence after which a process is forgotten. */
const FORGOTTEN = 7 * 86_400_000;

/** Behind every other character. */
const LAST = "\u{10FFFF}";

const ADD_EVENTS = "INSERT INTO event (session, seq, id, type, at, body, apart) VALUES";

type JournalSteps =
  | "create"
  | "hold"
  | "release"
  | "append"
  | "endOf"
  | "read"
  | "sessions"
  | "delete"
  | "prune"
  | "saveSnapshot"
  | "loadSnapshot";

export function createSqlJournals(driver: SqlDriver): Pick<BackEnd, JournalSteps> {
  const { now, forUpdate, bytewise } = driver;
  return {
    create: ({ id, person, project }, machine) =>
      driver.transaction(async (run) => {
        const sql = `INSERT INTO journal (id, person, project, created, changed, epoch, seq, machine)
          VALUES (?, ?, ?, ${now}, ${now}, 1, 0, ?) ON CONFLICT (id) DO NOTHING RETURNING id`;
        return (await run(sql, [id, person, project, machine])).length > 0;
      }),
    hold: (id, machine, isGone) =>
      driver.transaction(async (run) => {
        const [row] = await run(`SELECT machine FROM journal WHERE id = ?${forUpdate}`, [id]);
        if (row === undefined) return null;
        const busy = await findHolder(run, now, row.machine, isGone);
        if (busy !== null) return busy;
        await run("UPDATE journal SET epoch = epoch + 1, machine = ? WHERE id = ?", [machine, id]);
        return findEnd(run, id);
      }),
    release: (id, epoch) =>
      driver.transaction(async (run) => {
        await run("UPDATE journal SET machine = NULL WHERE id = ? AND epoch = ?", [id, epoch]);
      }),
    append(batch) {
      const { asked = [], closed = [] } = batch;
      const work: SqlWork<boolean> = (_, change) => append(change, now, batch);
      return asked.length + closed.length === 0 ? driver.appendAtOnce(batch, work) : driver.transaction(work);
    },
    endOf: (id) => findEnd(driver.read, id),
    async read(id, after, limit) {
      const sql = "SELECT seq, id, type, at, body, apart FROM event WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?";
      return (await driver.read(sql, [id, after, limit])).map(toEventRow);
    },
    async sessions({ id = null, idPrefix = null, person = null, project = null, limit = null }) {
      const wanted = [
        ...(id === null ? [] : [["id = ?", id] as const]),
        ...(person === null ? [] : [["person = ?", person] as const]),
        ...(project === null ? [] : [["project = ?", project] as const]),
      ];
      const where = wanted.length > 0 ? ` WHERE ${wanted.map(([condition]) => condition).join(" AND ")}` : "";
      // Found first, whatever else is wanted: no index has both.
      const fitting = `WITH fitting AS MATERIALIZED (SELECT * FROM journal WHERE id${bytewise} >= ? AND id${bytewise} < ?) `;
      const sql = `${idPrefix === null ? "" : fitting}SELECT id, person, project, created, changed, seq, machine
        FROM ${idPrefix === null ? "journal" : "fitting"}${where} ORDER BY changed_span DESC, changed DESC, id LIMIT ?`;
      const values = [
        ...(idPrefix === null ? [] : [idPrefix, `${idPrefix}${LAST}`]),
        ...wanted.map(([, value]) => value),
        limit ?? Number.MAX_SAFE_INTEGER,
      ];
      return (await driver.read(sql, values)).map(toListed);
    },
    delete: (id, isGone) =>
      driver.transaction(async (run) => {
        const [row] = await run(`SELECT machine FROM journal WHERE id = ?${forUpdate}`, [id]);
        if (row === undefined) return false;
        const busy = await findHolder(run, now, row.machine, isGone);
        if (busy !== null) return busy;
        await remove(driver, run, id);
        return true;
      }),
    prune: (...given) => prune(driver, ...given),
    saveSnapshot: (id, epoch, { seq, text }) =>
      driver.transaction(async (run) => {
        const [ours] = await run(`SELECT id FROM journal WHERE id = ? AND epoch = ?${forUpdate}`, [id, epoch]);
        if (ours === undefined) return;
        const sql = `INSERT INTO snapshot (session, seq, body) VALUES (?, ?, ?)
          ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, body = excluded.body`;
        await run(sql, [id, seq, text]);
      }),
    async loadSnapshot(id) {
      const [row] = await driver.read("SELECT seq, body FROM snapshot WHERE session = ?", [id]);
      return row === undefined ? null : { seq: Number(row.seq), text: String(row.body) };
    },
  };
}

/** The end of the journal moves first: of two writers, the second finds it moved and stores nothing. */
async function append(change: ChangeSql, now: string, batch: Batch): Promise<boolean> {
  const { sessionId, epoch, after, rows, asked = [], closed = [] } = batch;
  const sql = `UPDATE journal SET seq = ?, changed = ${now} WHERE id = ? AND epoch = ? AND seq = ?`;
  if ((await change(sql, [after + rows.length, sessionId, epoch, after])) === 0) return false;
  await inPieces(rows, (piece) => {
    const values: SqlValue[] = [];
    for (const { seq, id, type, at, body, apart } of piece) values.push(sessionId, seq, id, type, at, body, apart);
    return change(`${ADD_EVENTS} ${rowsOf("(?, ?, ?, ?, ?, ?, ?)", piece)}`, values);
  });
  await changeQuestions(change, now, { sessionId, asked, closed });
  return true;
}

async function findEnd(run: RunSql, id: string): Promise<Taken | null> {
  const [row] = await run(
    `SELECT epoch, seq, (SELECT id FROM event WHERE session = journal.id AND seq = journal.seq) AS last
      FROM journal WHERE id = ?`,
    [id],
  );
  if (row === undefined) return null;
  return { epoch: Number(row.epoch), seq: Number(row.seq), last: row.last === null ? null : String(row.last) };
}

/** One transaction per session, so that nobody waits for all of them. */
async function prune(
  driver: SqlDriver,
  unchangedFor: number,
  isGone: IsGone,
  { project, limit = Number.MAX_SAFE_INTEGER }: PruneFilter,
): Promise<number> {
  const { now, forUpdate } = driver;
  const isOld = `changed <= (SELECT ${now}) - ? AND NOT EXISTS
    (SELECT id FROM question WHERE question.session = journal.id AND state = 'open')`;
  const where = project === undefined ? "" : " AND project = ?";
  const sql = `SELECT id FROM journal WHERE changed_span <= ((SELECT ${now}) - ?) / 10000 AND ${isOld}${where}
    ORDER BY changed_span, changed LIMIT ?`;
  const old = await driver.read(sql, [
    ...[unchangedFor, unchangedFor],
    ...(project === undefined ? [] : [project]),
    limit,
  ]);
  let pruned = 0;
  for (const { id } of old) {
    pruned += await driver.transaction(async (run) => {
      const sql = `SELECT machine FROM journal WHERE id = ? AND ${isOld}${forUpdate}`;
      const [row] = await run(sql, [String(id), unchangedFor]);
      if (row === undefined || (await findHolder(run, now, row.machine, isGone)) !== null) return 0;
      await remove(driver, run, String(id));
      return 1;
    });
  }
  await driver.transaction(async (run) => {
    await run(`DELETE FROM machine WHERE seen <= ${now} - ?`, [FORGOTTEN]);
  });
  return pruned;
}

async function remove(driver: SqlDriver, run: RunSql, id: string): Promise<void> {
  await dropParts(driver, run, id);
  for (const table of ["event", "question", "snapshot", "part_use"])
    await run(`DELETE FROM ${table} WHERE session = ?`, [id]);
  await run("DELETE FROM journal WHERE id = ?", [id]);
}

/** One literal per row: with spread parts, ten thousand rows take a hundred times longer. */
function toEventRow({ seq, id, type, at, body, apart }: SqlRow): EventRow {
  return {
    seq: Number(seq),
    id: String(id),
    type: String(type),
    at: Number(at),
    body: String(body),
    apart: apart === null ? null : String(apart),
  };
}

function toListed({ id, person, project, created, changed, seq, machine }: SqlRow): StoredSession {
  return {
    id: String(id),
    person: String(person),
    project: String(project),
    created: Number(created),
    changed: Number(changed),
    events: Number(seq),
    machine: machine === null ? null : String(machine),
  };
}
