import type { Batch } from "../back-end.ts";
import type { SqliteConnection } from "./sqlite-engine.ts";

/**
 * Moves the end of a journal with each event. A temporary trigger belongs to this connection, so the file stays
 * unchanged.
 */
const toTrigger = (now: string): string => `CREATE TEMP TRIGGER IF NOT EXISTS end_moves AFTER INSERT ON main.event
  BEGIN UPDATE journal SET seq = NEW.seq, changed = ${now} WHERE id = NEW.session AND seq < NEW.seq; END`;

/** Stores nothing if the journal has another epoch or ends elsewhere: the event is selected from the journal's row. */
const ADD = `INSERT INTO event (session, seq, id, type, at, body, apart)
  SELECT id, ?, ?, ?, ?, ?, ? FROM journal WHERE id = ? AND epoch = ? AND seq = ?`;

/** One event as one statement, which is a transaction by itself: the usual append, at half the work. */
export function createAppendAlone(writer: SqliteConnection, now: string): (batch: Batch) => boolean {
  let isReady = false;
  return ({ sessionId, epoch, after, rows: [row] }) => {
    if (row === undefined) return false;
    if (!isReady) writer.exec(toTrigger(now));
    isReady = true;
    const { seq, id, type, at, body, apart } = row;
    return writer.change(ADD, [seq, id, type, at, body, apart, sessionId, epoch, after]) === 1;
  };
}
