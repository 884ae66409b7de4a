import type { SessionFiles, SessionSql } from "../../../sources/host.ts";
import type { Clock } from "../../../system/time/clock.ts";
import type { Emitter } from "../../events/emitter.ts";
import { createSessionFiles } from "./session-files.ts";
import type { SessionJournal } from "./session-journal.ts";

/** What a stored session keeps for its tools, for its own agent and all below it. */
export function createToolStorage(
  { state }: SessionJournal,
  emit: Emitter["emit"],
  clock: Clock,
  inFront: (own: SessionSql) => SessionSql = (own) => own,
): { readonly database: SessionSql; readonly files: SessionFiles } {
  const database = openDatabase(state.database, emit, clock);
  return {
    database: inFront(database),
    files: createSessionFiles(state.files, emit),
  };
}

/** The database in a session's journal; loaded with the first query. */
function openDatabase(earlier: string | null, emit: Emitter["emit"], clock: Clock): SessionSql {
  let opened: Promise<SessionSql> | null = null;
  const changed = (image: string): void => emit("session.database_changed", { image });
  return async (statements, signal) => {
    opened ??= import("./session-database.ts").then(({ createSessionDatabase }) =>
      createSessionDatabase({ earlier, changed, clock }),
    );
    return (await opened)(statements, signal);
  };
}
