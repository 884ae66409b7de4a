import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { tempWorkspace } from "../../../../test/support/temp-workspace.ts";
import { createSession, resumeSession } from "../../../runtime/session/library.ts";
import { deleteSession, forkSession } from "../../../runtime/session/stored/stored-sessions.ts";
import { openStoreAt } from "../../../runtime/store/open-store.ts";
import { splitStatements } from "./sql-statements.ts";

const GIVEN = { builtins: ["sql"], workspace: null } as const;

async function stored() {
  const { base } = tempWorkspace();
  const store = await openStoreAt(`sqlite:${join(base, "sessions.db")}`, { home: base, env: {}, workspace: base });
  onTestFinished(() => store.close());
  return { base, store };
}

type Calling = Pick<Awaited<ReturnType<typeof createSession>>, "call">;
const ask = async (session: Calling, query: string) => {
  const { textResultForLlm, resultType } = await session.call("sql", { query });
  return resultType === "success" ? textResultForLlm : `${resultType}: ${textResultForLlm}`;
};

describe("sql", () => {
  test("is there where the session is stored, and hidden with the reason elsewhere", async () => {
    const session = await createSession({ ...GIVEN });
    const [own] = session.toolset.placements.filter(({ entry }) => entry.wireName === "sql");
    expect([own?.standing, own?.trace.map(({ reason }) => reason.text)]).toEqual([
      "hidden",
      ["the session is not stored"],
    ]);
    await session.close();
  });

  test("keeps what was written with the session: resumed, copied, and gone with it", async () => {
    const { store } = await stored();
    const first = await createSession({ ...GIVEN, store, sessionId: "one" });
    expect(await ask(first, "CREATE TABLE found (file TEXT, line INT)")).toBe(
      "Schema operation completed successfully.",
    );
    expect(await ask(first, "INSERT INTO todos (id, title) VALUES ('a', 'One | two'), ('b', 'Two')")).toBe(
      "2 row(s) inserted. Last inserted row ID: 2.",
    );
    expect(
      await ask(first, "UPDATE todos SET status = 'done' WHERE id = 'a'; DELETE FROM todos WHERE id = 'b'; -- end\n"),
    ).toBe("Executed 2 statement(s):\n\n1. UPDATE\n   1 row(s) updated.\n\n2. DELETE\n   1 row(s) deleted.");
    await first.close();
    const second = await resumeSession("one", { ...GIVEN, store });
    const listed = "1 row(s) returned.\n\n| id | title | status |\n| --- | --- | --- |\n| a | One \\| two | done |";
    expect(await ask(second, "SELECT id, title, status FROM todos")).toBe(listed);
    await second.close();
    await forkSession("one", { store, sessionId: "two" });
    await deleteSession("one", { store });
    const copy = await resumeSession("two", { ...GIVEN, store });
    expect(await ask(copy, "SELECT id, title, status FROM todos")).toBe(listed);
    expect(await ask(copy, "SELECT * FROM found")).toBe("0 row(s) returned.");
    await copy.close();
  });

  test("does all statements of a query or none, and says what is wrong", async () => {
    const { store } = await stored();
    const session = await createSession({ ...GIVEN, store });
    expect(
      await ask(session, "INSERT INTO todos (id, title) VALUES ('a', 'A'); INSERT INTO nowhere VALUES (1)"),
    ).toContain("failure: The query failed, and nothing was changed: ");
    expect(await ask(session, "SELECT count(*) AS n FROM todos")).toContain("| 0 |");
    expect(await ask(session, " ; -- nothing")).toBe("failure: The query holds no statement.");
    await session.close();
  });

  test("opens no other file, loads no code, never runs for ever and never grows past its bounds", async () => {
    const { base, store } = await stored();
    const session = await createSession({ ...GIVEN, store });
    const other = join(base, "other.db");
    writeFileSync(other, "");
    for (const query of [
      `ATTACH '${other}' AS other`,
      `/**/ATTACH DATABASE '${other}' AS other`,
      `SELECT 1; -- x\nATTACH '${other}' AS other`,
      `\uFEFFATTACH '${other}' AS other`,
      `VACUUM INTO '${join(base, "copy.db")}'`,
      "PRAGMA journal_mode = WAL",
      `EXPLAIN ATTACH '${other}' AS other`,
      "SELECT load_extension('evil')",
      "SELECT \"load_extension\"('evil')",
      "CREATE VIRTUAL TABLE t USING fts5(x)",
      "CREATE TRIGGER t AFTER INSERT ON todos BEGIN DELETE FROM todos; END",
      "BEGIN",
      "COMMIT; SELECT 1",
      "SELECT 1; \0 ATTACH 'x' AS y",
    ])
      expect(await ask(session, query)).toMatch(/^failure: The query (was not run|failed)/);
    expect(await ask(session, "SELECT zeroblob(900000000)")).toContain("failure: ");
    expect(await ask(session, "INSERT INTO todos (id, title) VALUES ('big', hex(zeroblob(2000000)))")).toContain(
      "failure: ",
    );
    const many = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 100000) SELECT x FROM c";
    expect(await ask(session, many)).toContain("The first 200 rows; there are more.");
    expect(await ask(session, "SELECT count(*) AS n FROM todos")).toContain("| 0 |");
    expect(existsSync(join(base, "copy.db"))).toBe(false);
    await session.close();
  });

  test("a query that never ends is stopped with its call, and leaves nothing behind", async () => {
    const { store } = await stored();
    const session = await createSession({ ...GIVEN, store });
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith("toolcrib-sql-")).length;
    const endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
    const ended = await session.call("sql", { query: endless }, { timeout: 300 });
    expect(ended.resultType).toBe("timeout");
    expect(await ask(session, "SELECT count(*) AS n FROM todos")).toContain("| 0 |");
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("toolcrib-sql-")).length).toBeLessThanOrEqual(before);
    await session.close();
  });

  test("law: what is run begins with a word that is allowed, whatever stands around it", () => {
    const piece = fc.constantFrom(
      "ATTACH",
      "'x'",
      '"',
      "'",
      "`",
      "[",
      "]",
      "--",
      "\n",
      "/*",
      "*/",
      ";",
      " ",
      "SELECT",
      "1",
      "PRAGMA",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const found = splitStatements(pieces.join(""));
        if ("refused" in found) return true;
        return found.every(({ text }) => /^\s*SELECT/.test(text));
      }),
      { numRuns: 300 },
    );
  });
});
