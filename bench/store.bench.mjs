import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import pg from "pg";
import { foldJournal } from "../dist/core/events/fold-journal.js";
import { createStore } from "../dist/runtime/store/create-store.js";
import { openPostgres } from "../dist/runtime/store/postgres/open-postgres.js";
import { openSqlite } from "../dist/runtime/store/sqlite/open-sqlite.js";
import { loadSqlite } from "../dist/runtime/store/sqlite/sqlite-engine.js";
import { startPostgres } from "../test/support/postgres-server.mjs";
import { median } from "./measure.mjs";

const ROUNDS = 21;
/** Pairs of an append and a bare insert. */
const APPENDS = 400;
const WARM_UP = 2_000;
const EVENTS = 10_000;
const SESSIONS = 10_000;
const BARE =
  "CREATE TABLE bare (session TEXT, seq BIGINT, id TEXT, type TEXT, at BIGINT, body TEXT, PRIMARY KEY (session, seq))";

/** @typedef {{ name: string, measured: string, ratio: number, limit: number }} Row */

/** What storing and reading events costs, against the same database without us. */
export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-store-"));
  const server = await startPostgres({ durable: true });
  try {
    return [...(await sqliteRows(join(folder, "sessions.db"), join(folder, "bare.db"))), await postgresRow(server)];
  } finally {
    await server.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} path
 * @param {string} barePath
 */
async function sqliteRows(path, barePath) {
  const bare = loadSqlite()(barePath);
  bare.all("PRAGMA journal_mode = WAL", []);
  bare.exec("PRAGMA synchronous = FULL");
  bare.exec(BARE);
  const store = createStore(await openSqlite(path));
  await warmUp(`${path}-warm-up`);
  const rows = [
    await appendRow("SQLite", store, async (values) => {
      bare.change("INSERT INTO bare (session, seq, id, type, at, body) VALUES (?, ?, ?, ?, ?, ?)", values);
    }),
    await resumeRow(store, path),
    await listRow(store, path),
  ];
  await store.close();
  bare.close();
  return [...rows, await memoryRow(path, `${path}-empty`)];
}

/**
 * What an open store keeps of sessions that nobody has open, all of which the file of the rows above holds.
 * @param {string} full
 * @param {string} empty
 * @returns {Promise<Row>}
 */
async function memoryRow(full, empty) {
  const [none, many] = [await heapOfStore(empty), await heapOfStore(full)];
  const each = Math.max(0, many - none) / SESSIONS;
  const measured = `${each.toFixed(1)} bytes`;
  return {
    name: "memory of one of 10,000 stored sessions that nobody uses, in units of 16 bytes",
    measured,
    ratio: each / 16,
    limit: 1,
  };
}

/** @param {string} path */
async function heapOfStore(path) {
  const store = createStore(await openSqlite(path));
  const journal = await store.create({ id: `used ${path}`, person: "", project: "" });
  await journal.append([makeEvent(1)]);
  await store.sessions({ limit: 1 });
  collectGarbage();
  const { heapUsed } = process.memoryUsage();
  await store.close();
  return heapUsed;
}

function collectGarbage() {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

/**
 * Has our code compiled, without waiting for the disk so often. What the bare insert runs is mostly compiled anyway.
 * @param {string} path
 */
async function warmUp(path) {
  const store = createStore(await openSqlite(path, { outlives: "kill" }));
  const journal = await store.create({ id: "warm", person: "", project: "" });
  for (let seq = 1; seq <= WARM_UP; seq++) await journal.append([makeEvent(seq)]);
  await store.close();
}

/** @param {Awaited<ReturnType<typeof startPostgres>>} server */
async function postgresRow(server) {
  const url = await server.createDatabase("bench");
  const pool = new pg.Pool({ connectionString: url });
  // The server may end before its last connection has.
  pool.on("error", () => {});
  await pool.query(BARE);
  const store = createStore(await openPostgres(url));
  const row = await appendRow("PostgreSQL", store, async (values) => {
    await pool.query("INSERT INTO bare (session, seq, id, type, at, body) VALUES ($1, $2, $3, $4, $5, $6)", values);
  });
  await store.close();
  await pool.end();
  return row;
}

/**
 * Each append beside its bare insert, in turns: what else the disk does changes from one moment to the next. Both wait
 * for the same text to be durable, and both make that text of the event.
 * @param {string} name
 * @param {import("../dist/runtime/store/store.js").Store} store
 * @param {(values: (string | number)[]) => Promise<void>} insert
 * @returns {Promise<Row>}
 */
async function appendRow(name, store, insert) {
  const journal = await store.create({ id: "append", person: "", project: "" });
  const [own, floor] = [createMeter(), createMeter()];
  for (let seq = 1; seq <= APPENDS; seq++) {
    const event = makeEvent(seq);
    const append = () => journal.append([event]);
    const put = () => insert(["append", event.seq, event.id, event.type, event.at, JSON.stringify(event)]);
    const turns = /** @type {const} */ ([
      [own, append],
      [floor, put],
    ]);
    for (const [meter, work] of seq % 2 === 0 ? turns : turns.toReversed()) await meter.time(work);
  }
  const [mine, base] = [own.median(), floor.median()];
  const cpu = `CPU ${mine.cpu.toFixed(3)} against ${base.cpu.toFixed(3)} ms`;
  const measured = `${mine.time.toFixed(2)} ms against ${base.time.toFixed(2)} ms; ${cpu}`;
  const ratio = mine.time / base.time;
  return { name: `${name}: append one event, against a bare insert`, measured, ratio, limit: 1.5 };
}

/** Times by the clock, and CPU of this process, in milliseconds. */
function createMeter() {
  const times = /** @type {number[]} */ ([]);
  const cpus = /** @type {number[]} */ ([]);
  return {
    /** @param {() => Promise<void>} work */
    async time(work) {
      const [cpu, start] = [process.cpuUsage(), performance.now()];
      await work();
      times.push(performance.now() - start);
      const { user, system } = process.cpuUsage(cpu);
      cpus.push((user + system) / 1_000);
    },
    median: () => ({ time: median(times), cpu: median(cpus) }),
  };
}

/**
 * @param {import("../dist/runtime/store/store.js").Store} store
 * @param {string} path
 * @returns {Promise<Row>}
 */
async function resumeRow(store, path) {
  const journal = await store.create({ id: "long", person: "", project: "" });
  await journal.append(Array.from({ length: EVENTS }, (_, at) => makeEvent(at + 1)));
  const bare = loadSqlite()(path);
  const sql = "SELECT seq, id, type, at, body, apart FROM event WHERE session = ? ORDER BY seq";
  const [mine, base] = await compared(
    async () => foldJournal(await store.read("long")),
    async () => bare.all(sql, ["long"]).map(({ body }) => JSON.parse(String(body))),
  );
  bare.close();
  const measured = `${mine.toFixed(0)} ms against ${base.toFixed(0)} ms`;
  return { name: "resume 10,000 events, against reading and parsing them", measured, ratio: mine / base, limit: 2 };
}

/**
 * @param {import("../dist/runtime/store/store.js").Store} store
 * @param {string} path
 * @returns {Promise<Row>}
 */
async function listRow(store, path) {
  const ids = Array.from({ length: SESSIONS }, (_, at) => `listed-${at}`);
  for (let at = 0; at < SESSIONS; at += 1_000)
    await Promise.all(ids.slice(at, at + 1_000).map((id) => store.create({ id, person: "", project: "/work" })));
  const bare = loadSqlite()(path);
  const sql =
    "SELECT id, person, project, created, changed, seq, machine FROM journal ORDER BY changed DESC, id LIMIT ?";
  const [mine, base] = await compared(
    () => store.sessions(),
    async () => bare.all(sql, [Number.MAX_SAFE_INTEGER]),
  );
  bare.close();
  const measured = `${mine.toFixed(0)} ms against ${base.toFixed(0)} ms`;
  return { name: "list 10,000 stored sessions, against the bare query", measured, ratio: mine / base, limit: 2 };
}

/**
 * Medians of both, one after the other in every round.
 * @param {() => Promise<unknown>} own
 * @param {() => Promise<unknown>} floor
 */
async function compared(own, floor) {
  const times = { own: /** @type {number[]} */ ([]), floor: /** @type {number[]} */ ([]) };
  for (let round = 0; round < ROUNDS; round++) {
    times.own.push(await timed([null], own));
    times.floor.push(await timed([null], floor));
  }
  return /** @type {const} */ ([median(times.own), median(times.floor)]);
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => Promise<unknown>} work
 */
async function timed(items, work) {
  const start = performance.now();
  for (const item of items) await work(item);
  return performance.now() - start;
}

/** @param {number} seq */
function makeEvent(seq) {
  const data = {
    toolCallId: `call-${seq}`,
    toolName: "view",
    arguments: { path: "src/index.ts" },
    content: "x".repeat(300),
  };
  return {
    id: `id-${seq}`,
    seq,
    at: 1_700_000_000_000 + seq,
    parent: `id-${seq - 1}`,
    agent: null,
    type: "tool.running",
    data,
  };
}
