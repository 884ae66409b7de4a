import { TODO_TABLES } from "../../../runtime/session/stored/todo-tables.ts";
import type { SessionSql, SqlOutcome } from "../../../sources/host.ts";
import { emitPassing, type SessionCore } from "../state/session-core.ts";
import { askKeeper } from "../state/session-files.ts";
import { dropUndefined, type Json, numberOf, recordOf, recordsOf, textOf, textsOf } from "../wire/wire-values.ts";

/** What runs in a session beside its model. */
export interface WorkspaceState {
  /** The session's database; null until it is first used. */
  sql: SessionSql | null;
  /** Commands that people have the session run, by id, and how each is ended. */
  readonly commands: Map<string, () => void>;
}

/** The database of a session, run by the client that stores its files where it can; clients are told when steps change. */
export function createSessionSql(core: SessionCore, workspace: WorkspaceState): (own: SessionSql) => SessionSql {
  return (own) => {
    const { capabilities } = core.server.files?.setting ?? {};
    const run = recordOf(capabilities).sqlite === true ? sqlAtClient(core) : own;
    workspace.sql = run;
    return async (statements, signal) => {
      const ran = await run(statements, signal);
      if ("outcomes" in ran && statements.some(changesSteps)) emitPassing(core, "session.todos_changed", {});
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
export async function readSteps(workspace: WorkspaceState, signal: AbortSignal): Promise<readonly Json[]> {
  const rows = await read(workspace, "SELECT * FROM todos ORDER BY rowid", signal);
  return rows.map(({ id, title, description, status, created_at }) =>
    dropUndefined({
      ...{ id: textOf(id), title: textOf(title), description: textOf(description), status: textOf(status) },
      createdAt: textOf(created_at),
    }),
  );
}

export async function readStepOrder(workspace: WorkspaceState, signal: AbortSignal): Promise<readonly Json[]> {
  const rows = await read(workspace, "SELECT todo_id, depends_on FROM todo_deps", signal);
  return rows.map(({ todo_id, depends_on }) => ({ todoId: String(todo_id), dependsOn: String(depends_on) }));
}

/** None where they cannot be read, such as when the model dropped the table. */
async function read({ sql }: WorkspaceState, query: string, signal: AbortSignal): Promise<readonly Json[]> {
  const ran = await sql?.([query], signal);
  if (ran === undefined || "failed" in ran) return [];
  return ran.outcomes.flatMap(({ columns, rows }) =>
    rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]]))),
  );
}

/** Rows of one answer that the model is shown. */
const MOST_ROWS = 200;

/** The database of a session where its client stores it. What may or may not have been done throws. */
function sqlAtClient(core: SessionCore): SessionSql {
  let isPrepared = false;
  return async (statements, signal) => {
    const runOne = (query: string) => askKeeper(core, "sqliteQuery", toStatement(query), signal);
    for (const table of isPrepared ? [] : TODO_TABLES) {
      const failed = failureOf(await runOne(table));
      if (failed !== null) return { failed };
    }
    isPrepared = true;
    const [only = "", ...more] = statements;
    const answer =
      more.length === 0
        ? await runOne(only)
        : await askKeeper(core, "sqliteTransaction", { statements: statements.map(toStatement) }, signal);
    const failed = failureOf(answer);
    if (failed !== null) return { failed };
    const results = more.length === 0 ? [answer] : recordsOf(answer.results);
    return { outcomes: statements.map((text, at) => toOutcome(recordOf(results[at]), toStatement(text))) };
  };
}

interface Statement {
  readonly query: string;
  readonly queryType: "exec" | "query" | "run";
}

function toStatement(query: string): Statement {
  const bare = query.trim().replaceAll(/'(?:[^']|'')*'/g, "''");
  if (/^(?:CREATE|DROP|ALTER)\b/i.test(bare)) return { query, queryType: "exec" };
  return { query, queryType: /^(?:SELECT|VALUES|WITH)\b|\bRETURNING\b/i.test(bare) ? "query" : "run" };
}

function failureOf({ error }: Json): string | null {
  const { code, errorClass, message } = recordOf(error);
  if (code === undefined && errorClass === undefined) return null;
  const text = textOf(message) ?? String(code ?? errorClass);
  if (errorClass === "postCommitAmbiguous")
    throw new Error(`the app does not know whether the statements were done: ${text}`);
  return text;
}

function toOutcome({ rows, columns, rowsAffected, lastInsertRowid }: Json, { queryType }: Statement): SqlOutcome {
  const found = recordsOf(rows);
  const named = [textsOf(columns), Object.keys(found[0] ?? {})].find(({ length }) => length > 0);
  // Clients name no columns where there are no rows; it was a question all the same.
  const names = named ?? (queryType === "query" ? ["nothing"] : []);
  return {
    columns: names,
    rows: found.slice(0, MOST_ROWS).map((row) => names.map((name) => row[name] ?? null)),
    more: found.length > MOST_ROWS,
    changes: numberOf(rowsAffected) ?? 0,
    lastId: numberOf(lastInsertRowid) ?? 0,
  };
}
