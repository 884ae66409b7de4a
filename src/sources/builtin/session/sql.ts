import type { SqlOutcome } from "../../host.ts";
import type { BuiltinHandler } from "../parts/handler.ts";
import { fail, succeed } from "../parts/results.ts";
import { type SqlStatement, splitStatements } from "./sql-statements.ts";

/** `sql`: queries on a database that belongs to this session alone. */
export const sql: BuiltinHandler = async ({ query }, { signal }, { database }) => {
  if (database === null) return fail("This session is not stored, so it has no database.");
  if (typeof query !== "string") return fail('"query" must be text.');
  const statements = splitStatements(query);
  if ("refused" in statements) return fail(`The query was not run: ${statements.refused}.`);
  if (statements.length === 0) return fail("The query holds no statement.");
  const ran = await database(
    statements.map(({ text }) => text),
    signal,
  );
  if ("failed" in ran) return fail(`The query failed, and nothing was changed: ${ran.failed}`);
  const texts = ran.outcomes.map((outcome, at) => describe(outcome, statements[at]));
  if (texts.length === 1) return succeed(texts[0] ?? "");
  const numbered = texts.map(
    (text, at) => `${at + 1}. ${statements[at]?.verb ?? ""}\n${text.replaceAll(/^/gm, "   ")}`,
  );
  return succeed(`Executed ${texts.length} statement(s):\n\n${numbered.join("\n\n")}`);
};

function describe({ columns, rows, more, changes, lastId }: SqlOutcome, statement: SqlStatement | undefined): string {
  switch (statement?.verb) {
    case "CREATE":
    case "DROP":
    case "ALTER":
      return "Schema operation completed successfully.";
    default:
  }
  if (columns.length > 0) return table(columns, rows, more);
  if (statement?.verb === "INSERT" || statement?.verb === "REPLACE")
    return `${changes} row(s) inserted. Last inserted row ID: ${lastId}.`;
  return `${changes} row(s) ${statement?.verb === "DELETE" ? "deleted" : "updated"}.`;
}

function table(columns: readonly string[], rows: SqlOutcome["rows"], more: boolean): string {
  if (rows.length === 0) return "0 row(s) returned.";
  const cell = (value: unknown): string =>
    value === null ? "NULL" : String(value).replaceAll("|", "\\|").replaceAll(/\r?\n/g, " ");
  const lines = [columns, columns.map(() => "---"), ...rows.map((row) => row.map(cell))];
  const note = more ? `The first ${rows.length} rows; there are more.` : `${rows.length} row(s) returned.`;
  return `${note}\n\n${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}`;
}
