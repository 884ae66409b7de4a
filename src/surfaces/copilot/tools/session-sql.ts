import type { SessionSql } from "../../../sources/host.ts";
import { type Live, tellPassing } from "../state/live.ts";
import { type Json, recordOf, stated, textOf } from "../wire/wire-values.ts";
import { sqlAtClient } from "./client-sql.ts";

/** The database of a session, run by the client that keeps its files where that can; clients hear when steps change. */
export function createSessionSql(live: () => Live): (own: SessionSql) => SessionSql {
  return (own) => {
    const { capabilities } = live().server.files?.setting ?? {};
    const run = recordOf(capabilities).sqlite === true ? sqlAtClient(live) : own;
    live().facts.set("sql", run);
    return async (statements, signal) => {
      const ran = await run(statements, signal);
      if ("outcomes" in ran && statements.some(changesSteps)) tellPassing(live(), "session.todos_changed", {});
      return ran;
    };
  };
}

const WRITES =
  /^(?:INSERT|REPLACE|UPDATE|DELETE|CREATE|DROP|ALTER)\b|^WITH\b[\s\S]*\b(?:INSERT|REPLACE|UPDATE|DELETE)\b/i;

function changesSteps(statement: string): boolean {
  return WRITES.test(statement.trim()) && /\btodo(?:s|_deps)\b/i.test(statement);
}

/** The steps as they stand. Columns are what the model made of them, so each may be missing. */
export async function readSteps(live: Live, signal: AbortSignal): Promise<readonly Json[]> {
  const rows = await read(live, "SELECT * FROM todos ORDER BY rowid", signal);
  return rows.map(({ id, title, description, status, created_at }) =>
    stated({
      id: textOf(id),
      title: textOf(title),
      description: textOf(description),
      status: textOf(status),
      createdAt: textOf(created_at),
    }),
  );
}

export async function readStepOrder(live: Live, signal: AbortSignal): Promise<readonly Json[]> {
  const rows = await read(live, "SELECT todo_id, depends_on FROM todo_deps", signal);
  return rows.map(({ todo_id, depends_on }) => ({ todoId: String(todo_id), dependsOn: String(depends_on) }));
}

/** None where they cannot be read, such as when the model dropped the table. */
async function read({ facts }: Live, query: string, signal: AbortSignal): Promise<readonly Json[]> {
  const run = facts.get("sql") as SessionSql | undefined;
  const ran = await run?.([query], signal);
  if (ran === undefined || "failed" in ran) return [];
  return ran.outcomes.flatMap(({ columns, rows }) =>
    rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]]))),
  );
}
