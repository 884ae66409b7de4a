import { TODO_TABLES } from "../../../runtime/session/stored/todo-tables.ts";
import type { SessionSql, SqlOutcome } from "../../../sources/host.ts";
import type { Live } from "../state/live.ts";
import { askKeeper } from "../state/state-files.ts";
import { type Json, numberOf, recordOf, recordsOf, textOf, textsOf } from "../wire/wire-values.ts";

/** Rows of one answer that the model is shown. */
const MOST_ROWS = 200;

/** The database of a session where its client keeps it. What may or may not have been done throws. */
export function sqlAtClient(live: () => Live): SessionSql {
  let isPrepared = false;
  return async (statements, signal) => {
    const runOne = (query: string) => askKeeper(live(), "sqliteQuery", toStatement(query), signal);
    for (const table of isPrepared ? [] : TODO_TABLES) {
      const failed = failureOf(await runOne(table));
      if (failed !== null) return { failed };
    }
    isPrepared = true;
    const [only = "", ...more] = statements;
    const answer =
      more.length === 0
        ? await runOne(only)
        : await askKeeper(live(), "sqliteTransaction", { statements: statements.map(toStatement) }, signal);
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
