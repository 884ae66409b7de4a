import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import type { BackEnd } from "../../src/runtime/store/back-end.ts";
import { eventsAfter, SESSION } from "../../src/runtime/store/contract-suite/sample-events.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { openPostgres } from "../../src/runtime/store/postgres/open-postgres.ts";
import type { SqlValue } from "../../src/runtime/store/sql/sql-driver.ts";
import { openSqlite } from "../../src/runtime/store/sqlite/open-sqlite.ts";
import { loadSqlite, type OpenSqlite } from "../../src/runtime/store/sqlite/sqlite-engine.ts";
import { APPLICATION_ID } from "../../src/runtime/store/sqlite/sqlite-file.ts";
import type { Store } from "../../src/runtime/store/store.ts";
import { needs } from "../support/machine.ts";
import { untilHolds } from "../support/poll.ts";
import { createDatabase } from "../support/postgres-database.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const DAY = 86_400_000;
const VERSION_4 = readFileSync(new URL("../fixtures/store/version-4.sql", import.meta.url), "utf8");

/** A database, and what somebody else does to it. */
interface Place {
  readonly name: string;
  readonly open: () => Promise<BackEnd>;
  readonly run: (sql: string) => Promise<unknown>;
}

function inSqlite(engine: OpenSqlite = loadSqlite()): Place & { readonly path: string } {
  const path = join(tempWorkspace().base, "sessions.db");
  const run = async (sql: string): Promise<void> => {
    const connection = loadSqlite()(path);
    // Otherwise the file is another program's.
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    connection.exec(sql);
    connection.close();
  };
  return { name: "SQLite", path, open: () => openSqlite(path, { open: engine }), run };
}

async function inPostgres(): Promise<Place & { rowsRead(): Promise<number> }> {
  const url = await createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("CREATE SCHEMA IF NOT EXISTS toolcrib; SET search_path = toolcrib");
  const numberOf = async (sql: string): Promise<number> => Number((await client.query(sql)).rows[0]?.number);
  return {
    name: "PostgreSQL",
    open: () => openPostgres(url),
    run: (sql) => client.query(sql),
    /** Counted for all connections that have ended, and this test's own is not asked for rows. */
    async rowsRead() {
      const others =
        "SELECT count(*) AS number FROM pg_stat_activity WHERE application_name = 'toolcrib' AND datname = current_database()";
      await untilHolds(async () => (await numberOf(others)) === 0);
      await client.query("SELECT pg_stat_clear_snapshot()");
      return numberOf(
        "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS number FROM pg_stat_user_tables WHERE schemaname = 'toolcrib'",
      );
    },
  };
}

const idsOf = async (store: Store, filter: Parameters<Store["sessions"]>[0] = {}): Promise<readonly string[]> =>
  (await store.sessions(filter)).map(({ id }) => id);

async function opened(place: Place): Promise<Store> {
  const store = createStore(await place.open());
  onTestFinished(() => store.close());
  return store;
}

/** Everything that somebody waits for who lists sessions, begins one, or goes on with one. */
async function work(store: Store): Promise<void> {
  const { person, project } = SESSION;
  for (const filter of [{}, { project }, { person }, { person, project }])
    await store.sessions({ ...filter, limit: 20 });
  expect(await idsOf(store, { idPrefix: "mine", limit: 20 })).toEqual(["mine"]);
  expect(await idsOf(store, { idPrefix: "mine", project, limit: 20 })).toEqual(["mine"]);
  await (await store.create({ ...SESSION, id: "begun" })).release();
  const journal = await store.hold("mine");
  await store.sessions({ id: "mine" });
  await journal.loadSnapshot();
  await store.read("mine");
  await journal.append(eventsAfter(journal.end, 1));
  await journal.append(eventsAfter(journal.end, 2), { asked: [{ id: "mine?", kind: "permission", asked: {} }] });
  await store.questions({ sessionId: "mine" });
  await store.questions();
  await store.answer("mine?", true, "ada");
  await journal.saveSnapshot({ seq: 1, text: "{}" });
  await journal.keep(new Map([["mine", "text"]]));
  await journal.release();
  await store.prune(7 * DAY, { project, limit: 100 });
  await store.prune(7 * DAY);
  await store.expire({ kind: "messages" }, DAY);
  expect(await store.delete("begun")).toBe(true);
}

/** So many more sessions that belong to the same person and project, one for each second that has passed. */
const others = (from: number, to: number, now: number) => `
  INSERT INTO journal (id, person, project, created, changed, epoch, seq, machine)
    SELECT 'other-' || n, 'ada', '/work', 1, ${now} - 1000 * n, 1, 1, NULL FROM numbers(${from}, ${to}) AS n;
  INSERT INTO event (session, seq, id, type, at, body, apart)
    SELECT 'other-' || n, 1, 'e', 'skill.invoked', 1, '{}', NULL FROM numbers(${from}, ${to}) AS n;
  INSERT INTO question (id, session, kind, asked, created, state)
    SELECT 'question-' || n, 'other-' || n, 'permission', '{}', n, 'closed' FROM numbers(${from}, ${to}) AS n;
  INSERT INTO message (feed, seq, at, body) SELECT 'feed', n, ${now}, '{}' FROM numbers(${from}, ${to}) AS n;
  INSERT INTO part (hash, body, at) SELECT 'part-' || n, 'text', 1 FROM numbers(${from}, ${to}) AS n;
  INSERT INTO part_use (session, hash) SELECT 'other-' || n, 'part-' || n FROM numbers(${from}, ${to}) AS n;`;

/** Tables with a few rows. */
const SMALL = /^SCAN (machine|meta|fitting|sqlite_master|CONSTANT ROW|\d+ CONSTANT ROWS?)\b/;
/** Statements that may sort: those about few rows, however many there are. */
const SOME = /FROM (fitting|machine)\b|session = \?/;

test("SQLite reads no more of a store for the sessions that nobody asks for: no step scans or sorts all of them", async () => {
  const statements = new Map<string, readonly SqlValue[]>();
  const engine = loadSqlite();
  const place = inSqlite((path) => {
    const connection = engine(path);
    return {
      ...connection,
      all(sql, values) {
        statements.set(sql, values);
        return connection.all(sql, values);
      },
      change(sql, values) {
        statements.set(sql, values);
        return connection.change(sql, values);
      },
    };
  });
  const store = await opened(place);
  statements.clear();
  await (await store.create({ ...SESSION, id: "mine" })).release();
  await work(store);
  const asked = [...statements].filter(([sql]) => /^\s*(SELECT|WITH|UPDATE|DELETE|INSERT)/.test(sql));
  expect(asked.length).toBeGreaterThan(25);
  const looking = engine(place.path);
  const steps = asked.flatMap(([sql, values]) =>
    looking.all(`EXPLAIN QUERY PLAN ${sql}`, values).map(({ detail }) => ({ detail: String(detail), sql })),
  );
  looking.close();
  // In the order of an index, a list ends where its limit is; one index has nothing but open questions.
  const isLimited = ({ detail, sql }: (typeof steps)[number]): boolean =>
    detail.endsWith("USING INDEX question_open") || (detail.includes("USING INDEX") && sql.includes("LIMIT"));
  const scanning = steps.filter(
    (step) => step.detail.startsWith("SCAN") && !SMALL.test(step.detail) && !isLimited(step),
  );
  const sorting = steps.filter(({ detail, sql }) => detail === "USE TEMP B-TREE FOR ORDER BY" && !SOME.test(sql));
  expect({ scanning, sorting }).toEqual({ scanning: [], sorting: [] });
});

test("PostgreSQL reads as few rows among 5,000 sessions as among 100", needs("postgres"), async () => {
  const place = await inPostgres();
  await (await place.open()).close();
  await place.run(
    "CREATE FUNCTION numbers(bigint, bigint) RETURNS SETOF bigint LANGUAGE sql AS 'SELECT generate_series($1, $2)'",
  );
  const counted = async (): Promise<number> => {
    const store = createStore(await place.open());
    await (await store.create({ ...SESSION, id: "mine" })).release();
    await store.close();
    await place.run("ANALYZE");
    const before = await place.rowsRead();
    const working = createStore(await place.open());
    await work(working);
    await working.delete("mine");
    await working.close();
    return (await place.rowsRead()) - before;
  };
  await place.run(others(1, 100, Date.now()));
  const few = await counted();
  await place.run(others(101, 5_000, Date.now()));
  expect(await counted()).toBeLessThan(few + 100);
});

describe.each([
  ["SQLite", async () => inSqlite()],
  ["PostgreSQL", inPostgres],
] as const)("a store of version 4 in %s", (name, make) => {
  const where = name === "PostgreSQL" ? needs("postgres") : {};

  test("opens with all that it has, lists it in order, and loses what nothing uses", where, async () => {
    const place = await make();
    await place.run(VERSION_4);
    const store = await opened(place);
    expect(await idsOf(store)).toEqual(["last", "second", "first"]);
    expect(await idsOf(store, { person: "ada", project: "/work" })).toEqual(["last", "first"]);
    expect((await store.read("first")).map(({ data }) => data)).toEqual([{}, { large: "text" }]);
    expect(await store.parts(["used", "left"])).toEqual(new Map([["used", '"text"']]));
    expect(await store.prune(7 * DAY, { project: "/work" })).toBe(2);
    expect(await idsOf(store)).toEqual(["second"]);
    expect(await store.parts(["used"])).toEqual(new Map());
  });

  test("is still written by that version, and what it changes and begins is listed in its place", where, async () => {
    const place = await make();
    await place.run(VERSION_4);
    const store = await opened(place);
    await place.run("UPDATE journal SET seq = 3, changed = 1700000100000 WHERE id = 'first' AND epoch = 1 AND seq = 2");
    await place.run(`INSERT INTO journal (id, person, project, created, changed, epoch, seq, machine)
      VALUES ('new', 'ada', '/work', 1700000070000, 1700000070000, 1, 0, NULL) ON CONFLICT (id) DO NOTHING`);
    expect(await idsOf(store)).toEqual(["first", "new", "last", "second"]);
    expect(await idsOf(store, { limit: 2 })).toEqual(["first", "new"]);
    const journal = await store.hold("second");
    await journal.append(eventsAfter(journal.end, 1));
    expect(await idsOf(store, { limit: 2 })).toEqual(["second", "first"]);
  });
});
