import { statSync } from "node:fs";
import { join } from "node:path";
import { cpuOf, heldBytes } from "../how-it-grows/count.mjs";
import { openOwnPostgres } from "../how-it-grows/own-postgres.mjs";
import { ownFolder } from "../how-it-grows/tidy.mjs";
import { median } from "../measure.mjs";

/** @typedef {import("../../dist/runtime/store/store.js").Store} Store */

const PROJECTS = 5;
const LISTED = 20;
const ROUNDS = 5;
const TIMES = 40;

/** @type {import("../how-it-grows/curve.mjs").Curve} */
export const curve = {
  name: "sessions",
  title: "Stored sessions",
  unit: "stored sessions",
  what: "Sessions of five projects that changed last within 90 days, each with a person's first message. Those of PostgreSQL count what its server does for them too.",
  sizes: [100, 1_000, 10_000, 100_000, 1_000_000],
  quick: 10_000,
  rounds: 1,
  lines: {
    open: { what: "opening and closing the file of SQLite", limit: 0.1 },
    list: { what: "the newest 20 of a project with their first words, in SQLite", limit: 0.1 },
    resume: { what: "taking an old one up, reading it and giving it back, in SQLite", limit: 0.1 },
    "pg list": { what: "the newest 20 of a project with their first words, in PostgreSQL", limit: 0.1 },
    "pg resume": { what: "taking an old one up, reading it and giving it back, in PostgreSQL", limit: 0.1 },
  },
  memory: { what: "what a process has in memory that did all of this", limit: 0.1 },
  counts: {
    sqlite: { what: "a session and its first message on the disk, in SQLite", unit: "bytes" },
    postgres: { what: "a session and its first message on the disk, in PostgreSQL", unit: "bytes" },
  },
  async measure(size) {
    const sqlite = await measureSqlite(join(ownFolder(), "sessions.db"), size);
    const postgres = await measurePostgres(size);
    const memory = await heldBytes();
    return {
      cpu: { ...sqlite.cpu, ...postgres.cpu },
      memory,
      counts: { sqlite: sqlite.bytes, postgres: postgres.bytes },
    };
  },
};

/** @param {string} path @param {number} size */
async function measureSqlite(path, size) {
  const { createStore } = await import("../../dist/runtime/store/create-store.js");
  const { openSqlite } = await import("../../dist/runtime/store/sqlite/open-sqlite.js");
  const { loadSqlite } = await import("../../dist/runtime/store/sqlite/sqlite-engine.js");
  const open = async () => createStore(await openSqlite(path));
  await (await open()).close();
  const empty = statSync(path).size;
  const bulk = loadSqlite()(path);
  bulk.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000");
  const numbers = `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${size})`;
  const [journal, event] = rowsOf(size, "printf('%08x-session', n)");
  bulk.exec(`BEGIN;
    INSERT INTO journal (id, person, project, created, changed, epoch, seq, machine, changed_span)
      ${numbers} SELECT ${journal}, ${changedOf(size)} / 10000 FROM numbers;
    INSERT INTO event (session, seq, id, type, at, body, apart) ${numbers} SELECT ${event} FROM numbers;
    COMMIT`);
  bulk.all("PRAGMA wal_checkpoint(TRUNCATE)", []);
  bulk.close();
  const bytes = (statSync(path).size - empty) / size;
  const opened = await cpuOf(async () => (await open()).close(), { rounds: ROUNDS, times: 10 });
  const store = await open();
  const { list, resume } = await workOn(store, size);
  const how = { rounds: ROUNDS, times: TIMES };
  const cpu = { open: opened, list: await cpuOf(list, how), resume: await cpuOf(resume, how) };
  await store.close();
  return { bytes, cpu };
}

/** @param {number} size */
async function measurePostgres(size) {
  const { createStore } = await import("../../dist/runtime/store/create-store.js");
  const { openPostgres } = await import("../../dist/runtime/store/postgres/open-postgres.js");
  const postgres = await openOwnPostgres();
  const store = createStore(await openPostgres(postgres.url));
  const bytesNow = () => postgres.numberOf("SELECT pg_database_size(current_database())");
  // It is vacuumed here, and not at any moment while something is measured.
  for (const table of ["journal", "event"]) await postgres.run(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  const empty = await bytesNow();
  const [journal, event] = rowsOf(size, "lpad(to_hex(n), 8, '0') || '-session'");
  const numbers = `generate_series(1, ${size}) AS n`;
  await postgres.run(
    `INSERT INTO journal (id, person, project, created, changed, epoch, seq, machine) SELECT ${journal} FROM ${numbers}`,
  );
  await postgres.run(`INSERT INTO event (session, seq, id, type, at, body, apart) SELECT ${event} FROM ${numbers}`);
  await postgres.run("VACUUM ANALYZE");
  await postgres.run("CHECKPOINT");
  const bytes = ((await bytesNow()) - empty) / size;
  const { list, resume } = await workOn(store, size);
  const cpu = { "pg list": await cpuOfBoth(postgres, list), "pg resume": await cpuOfBoth(postgres, resume) };
  await store.close();
  return { bytes, cpu };
}

/** CPU milliseconds of this process and of the server's, for one. @param {import("../how-it-grows/own-postgres.mjs").OwnPostgres} postgres @param {() => Promise<unknown>} work */
async function cpuOfBoth(postgres, work) {
  const costs = [];
  for (let round = -2; round < ROUNDS; round++) {
    const [own, theirs] = [process.cpuUsage(), await postgres.cpu()];
    for (let at = 0; at < TIMES; at++) await work();
    const { user, system } = process.cpuUsage(own);
    const cost = ((user + system) / 1000 + (await postgres.cpu()) - theirs) / TIMES;
    if (round >= 0) costs.push(cost);
  }
  return median(costs);
}

/** What a list and a program that goes on with a session do. @param {Store} store @param {number} size */
async function workOn(store, size) {
  const { summarizeAll } = await import("../../dist/runtime/report/session-summary.js");
  const { readState } = await import("../../dist/runtime/session/stored/journal-snapshots.js");
  let at = 0;
  return {
    async list() {
      at += 1;
      const found = await store.sessions({ project: `/home/ada/project-${at % PROJECTS}`, limit: LISTED });
      const all = await summarizeAll(store, found);
      if (all.length === 0 || all.some(({ prompt }) => prompt === "")) throw new Error("a list has nothing to say");
    },
    async resume() {
      at += 1;
      const id = `${(1 + ((at * 7_919) % size)).toString(16).padStart(8, "0")}-session`;
      const journal = await store.hold(id);
      const [owner] = await store.sessions({ id });
      const { state } = await readState(store, journal);
      await journal.release();
      if (owner === undefined || state.seq !== 1) throw new Error(`${id} is not as it was stored`);
    },
  };
}

/** The columns of a session and of its first event, for a number `n`. @param {number} size @param {string} id */
function rowsOf(size, id) {
  const data = {
    messageId: "m",
    source: "user",
    content: [{ type: "text", text: "Find out why the tests of the payments service fail." }],
  };
  const message = JSON.stringify({ id: "e", seq: 1, at: 1, parent: null, agent: null, type: "user.message", data });
  return [
    `${id}, 'ada', '/home/ada/project-' || (n % ${PROJECTS}), ${changedOf(size)}, ${changedOf(size)}, 1, 1, NULL`,
    `${id}, 1, 'e', 'user.message', 1, '${message}', NULL`,
  ];
}

/** The first is the oldest. @param {number} size */
const changedOf = (size) => `(1700000000000 + n * CAST(${Math.floor((90 * 86_400_000) / size)} AS BIGINT))`;
