import type { SessionSql } from "../../sources/host.ts";
import type { Clock } from "../../system/time/clock.ts";
import type { Emitter } from "../events/emitter.ts";
import type { KeptSession } from "./kept-session.ts";

/** The database in a session's journal, for the session's own agent and all below it; loaded with the first query. */
export function keptDatabase({ state }: KeptSession, emit: Emitter["emit"], clock: Clock): SessionSql {
  let opened: Promise<SessionSql> | null = null;
  const changed = (image: string): void => emit("session.database_changed", { image });
  return async (statements, signal) => {
    opened ??= import("./session-database.ts").then(({ createSessionDatabase }) =>
      createSessionDatabase({ earlier: state.database, changed, clock }),
    );
    return (await opened)(statements, signal);
  };
}
