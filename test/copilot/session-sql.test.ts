import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Clock, SYSTEM_CLOCK } from "../../src/system/time/clock.ts";
import { startRuntime, type TestClient } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

/** However busy the machine is, a query has time enough. */
const PATIENT: Clock = {
  ...SYSTEM_CLOCK,
  setTimeout: (callback, delay) => SYSTEM_CLOCK.setTimeout(callback, delay * 10),
};

async function begin(queries: readonly string[]) {
  const { project: folder } = tempWorkspace();
  const script = join(folder, "script.json");
  const calls = queries.map((query) => ({ calls: [{ tool: "sql", arguments: { description: "Plans", query } }] }));
  await writeFile(script, JSON.stringify({ replies: [...calls, { text: "Planned." }] }));
  const start = () => startRuntime(join(folder, "home"), folder, {}, PATIENT);
  return { model: `scripted:${script}`, start, client: start().connect() };
}

function textsOf({ events }: TestClient): readonly unknown[] {
  return events
    .filter(({ type, data }) => type === "tool.execution_complete" && data.toolName === "sql")
    .map(({ data }) => data.error ?? (data.result as { content: string }).content);
}

const PLAN =
  "INSERT INTO todos (id, title) VALUES ('a', 'First'); INSERT INTO todo_deps VALUES ('b', 'a'); CREATE TABLE notes (text)";
const STEPS = {
  rows: [{ id: "a", title: "First", status: "pending" }],
  dependencies: [{ todoId: "b", dependsOn: "a" }],
};

test("clients hear that the model changed its steps, not that it read them, and can read them in another process too", async () => {
  const { model, start, client } = await begin([PLAN, "SELECT title FROM todos"]);
  await client.request("session.create", { sessionId: "s", model });
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Plan" });
  expect(client.events.some(({ type }) => type === "permission.requested")).toBe(false);
  expect(client.events.filter(({ type }) => type === "session.todos_changed")).toHaveLength(1);
  expect(textsOf(client)[1]).toBe("1 row(s) returned.\n\n| title |\n| --- |\n| First |");
  expect(await client.request("session.plan.readSqlTodosWithDependencies", { sessionId: "s" })).toEqual(STEPS);
  await client.request("session.detach", { sessionId: "s" });
  const other = start().connect();
  await other.request("session.resume", { sessionId: "s", model });
  expect(await other.request("session.plan.readSqlTodos", { sessionId: "s" })).toEqual({ rows: STEPS.rows });
});

test("a client that keeps the files of sessions and can run SQL runs that of the model", async () => {
  const { model, client } = await begin([
    "INSERT INTO items VALUES ('returning')",
    "INSERT INTO todos (id, title) VALUES ('a', 'First'); SELECT 1 WHERE 0",
    "DELETE FROM gone",
    "INSERT INTO items VALUES (1); INSERT INTO items VALUES (2)",
  ]);
  const asked: unknown[] = [];
  for (const operation of ["writeFile", "appendFile", "mkdir"])
    client.answers.set(`sessionFs.${operation}`, () => ({}));
  client.answers.set("sessionFs.sqliteQuery", ({ sessionId, query, queryType }) => {
    asked.push([sessionId, queryType]);
    if (String(query).includes("gone"))
      return { rows: [], columns: [], error: { code: "UNKNOWN", message: "no table" } };
    return { rows: [], columns: [], rowsAffected: 1, lastInsertRowid: 7 };
  });
  client.answers.set("sessionFs.sqliteTransaction", ({ statements }) => {
    const types = (statements as { queryType: string }[]).map(({ queryType }) => queryType);
    asked.push(types);
    const isUnsure = types.every((type) => type === "run");
    if (isUnsure) return { results: [], error: { errorClass: "postCommitAmbiguous", message: "the disk went" } };
    return { results: types.map(() => ({ rows: [], columns: [], rowsAffected: 1, lastInsertRowid: 1 })) };
  });
  const setting = { initialCwd: "/", sessionStatePath: "/state", conventions: "posix", capabilities: { sqlite: true } };
  await client.request("sessionFs.setProvider", setting);
  await client.request("session.create", { sessionId: "s", model });
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Plan" });
  expect(asked).toEqual([
    ...[
      ["s", "exec"],
      ["s", "exec"],
      ["s", "run"],
    ],
    ...[
      ["run", "query"],
      ["s", "run"],
      ["run", "run"],
    ],
  ]);
  expect(textsOf(client)).toEqual([
    "1 row(s) inserted. Last inserted row ID: 7.",
    "Executed 2 statement(s):\n\n1. INSERT\n   1 row(s) inserted. Last inserted row ID: 1.\n\n2. SELECT\n   0 row(s) returned.",
    expect.objectContaining({ message: "The query failed, and nothing was changed: no table" }),
    expect.objectContaining({ message: expect.not.stringContaining("nothing was changed") }),
  ]);
  expect(client.events.filter(({ type }) => type === "session.todos_changed")).toHaveLength(1);
});
