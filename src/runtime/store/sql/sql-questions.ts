import type { BackEnd } from "../back-end.ts";
import type { NewQuestion } from "../store.ts";
import { type ChangeSql, inPieces, placesFor, rowsOf, type SqlDriver } from "./sql-driver.ts";

export function createSqlQuestions(driver: SqlDriver): Pick<BackEnd, "ask" | "answer" | "questions" | "answers"> {
  return {
    ask: (sessionId, { asked = [], closed = [] }) =>
      driver.transaction((_, change) => changeQuestions(change, driver.now, { sessionId, asked, closed })),
    async answer(id, answer, by) {
      const sql = `UPDATE question SET state = 'answered', answer = ?, answered_by = ?
          WHERE id = ? AND state = 'open'`;
      if ((await driver.changeAtOnce(sql, [answer, by, id])) > 0) return "answered";
      return (await driver.read("SELECT id FROM question WHERE id = ?", [id])).length > 0
        ? "already_answered"
        : "unknown";
    },
    async questions(sessionId) {
      const where = sessionId === null ? "" : " AND session = ?";
      const sql = `SELECT id, session, kind, asked, created FROM question WHERE state = 'open'${where} ORDER BY created, id`;
      const rows = await driver.read(sql, sessionId === null ? [] : [sessionId]);
      return rows.map(({ id, session, kind, asked, created }) => ({
        id: String(id),
        sessionId: String(session),
        kind: String(kind) as NewQuestion["kind"], // Written by `changeQuestions`.
        asked: String(asked),
        created: Number(created),
      }));
    },
    async answers(ids) {
      const sql = `SELECT id, state, answer, answered_by FROM question WHERE id IN (${placesFor(ids)})`;
      const rows = new Map((await driver.read(sql, ids)).map((row) => [row.id, row]));
      return new Map(
        ids.flatMap((id) => {
          const row = rows.get(id);
          if (row?.state === "open") return [];
          const isAnswered = row?.state === "answered";
          return [[id, isAnswered ? { answer: String(row.answer), by: String(row.answered_by) } : null]];
        }),
      );
    },
  };
}

interface ChangedQuestions {
  readonly sessionId: string;
  readonly asked: readonly NewQuestion[];
  readonly closed: readonly string[];
}

/** Part of the transaction that stores the corresponding events. */
export async function changeQuestions(
  change: ChangeSql,
  now: string,
  { sessionId, asked, closed }: ChangedQuestions,
): Promise<void> {
  await inPieces(asked, (piece) =>
    change(
      `INSERT INTO question (id, session, kind, asked, created, state)
        VALUES ${rowsOf(`(?, ?, ?, ?, ${now}, 'open')`, piece)} ON CONFLICT (id) DO NOTHING`,
      piece.flatMap(({ id, kind, asked: what }) => [id, sessionId, kind, JSON.stringify(what)]),
    ),
  );
  await inPieces(closed, (piece) =>
    change(`UPDATE question SET state = 'closed' WHERE state = 'open' AND id IN (${placesFor(piece)})`, piece),
  );
}
