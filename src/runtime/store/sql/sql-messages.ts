import type { BackEnd, MessageRow } from "../back-end.ts";
import type { Expired } from "../store.ts";
import type { SqlDriver, SqlRow, SqlValue } from "./sql-driver.ts";

/** Feeds that one statement asks for, at most. */
const AT_ONCE = 200;

/** Messages between processes, and expiry. */
export function createSqlMessages(driver: SqlDriver): Pick<BackEnd, "post" | "messages" | "expire"> {
  const { now } = driver;
  /** The clock is part of the number, so that numbers keep growing after older messages were deleted. */
  const add = `INSERT INTO message (feed, seq, at, body)
    SELECT ?, CASE WHEN COALESCE(MAX(seq), 0) >= ${now} THEN MAX(seq) + 1 ELSE ${now} END, ${now}, ?
    FROM message WHERE feed = ?`;
  return {
    post: (feed, body, after) =>
      driver.transaction(async (run) => {
        if (driver.lockFeed !== null) await run(driver.lockFeed, [feed]);
        const only = after === null ? "" : " HAVING COALESCE(MAX(seq), 0) = ?";
        const [row] = await run(`${add}${only} RETURNING seq`, [feed, body, feed, ...(after === null ? [] : [after])]);
        return row === undefined ? null : Number(row.seq);
      }),
    async messages(wanted) {
      const all = [...wanted];
      const found: MessageRow[] = [];
      for (let at = 0; at < all.length; at += AT_ONCE) {
        const some = all.slice(at, at + AT_ONCE);
        const where = some.map(() => "(feed = ? AND seq > ?)").join(" OR ");
        const sql = `SELECT feed, seq, body FROM message WHERE ${where} ORDER BY feed, seq`;
        found.push(...(await driver.read(sql, some.flat())).map(toMessageRow));
      }
      return found;
    },
    expire: (what, unchangedFor) =>
      driver.transaction(async (run) => {
        const [sql, values] = toExpiry(what);
        // A clock as a part of the condition would be read for every row, and no index would help.
        await run(`${sql} <= (SELECT ${now}) - ?`, [...values, unchangedFor]);
      }),
  };
}

function toExpiry(what: Expired): readonly [string, readonly SqlValue[]] {
  switch (what.kind) {
    case "messages":
      return ["DELETE FROM message WHERE at", []];
    case "key-values":
      return ["DELETE FROM shelf WHERE name = ? AND changed", [what.name]];
    case "questions":
      return ["DELETE FROM question WHERE session = ? AND state <> 'open' AND created", [what.sessionId]];
  }
}

function toMessageRow({ feed, seq, body }: SqlRow): MessageRow {
  return { feed: String(feed), seq: Number(seq), body: String(body) };
}
