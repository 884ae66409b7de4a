import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { TOKEN } from "../gateway-token.mjs";
import { openOwnPostgres } from "../how-it-grows/own-postgres.mjs";
import { ownFolder, startBeside } from "../how-it-grows/tidy.mjs";
import { cpuOfProcess } from "../process-tree.mjs";
import { openConnections } from "../raw-connections.mjs";

/** @typedef {{ pid: number, look(): Promise<Looked>, connections: ReturnType<typeof openConnections> }} Machine */
/** @typedef {{ rss: number, trips: number }} Looked */

const inBench = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const STUBS = inBench("../how-it-grows/stub-servers.mjs");
const GATEWAY = inBench("../clients-gateway.mjs");
const TOOLS = 10;
/** Clients of each machine that call at the same time. */
const CLIENTS = 4;
/** Calls of each machine, and clients that come and then call at the next one. */
const WARM_UP = 1_000;
const CALLS_EACH = 1_000;
const SESSIONS_EACH = 100;
/** Everything that machines do in intervals comes within this time, but for what they do once a minute. */
const IDLE_MS = 6_000;

/** @type {import("../how-it-grows/curve.mjs").Curve} */
export const curve = {
  name: "machines",
  title: "Machines",
  unit: "machines",
  what: "Gateways that are one, each a process, with one PostgreSQL, all on the same machine with two cores. Each has four clients that call all the time; a server with 10 tools stands behind them.",
  sizes: [1, 2, 4, 8],
  quick: 2,
  rounds: 1,
  // More than nothing, since the machines share two cores and their caches.
  lines: {
    call: { what: "a machine for one call", limit: 0.5 },
    open: { what: "a machine for one client that opens a session and calls", limit: 0.5 },
    "pg open": { what: "PostgreSQL for such a client", limit: 0.5 },
    move: { what: "machine and PostgreSQL for one call of a client that another machine had", limit: 0.5 },
    "pg idle": { what: "PostgreSQL in a second in which nothing happens, for all machines", limit: 1.05 },
  },
  memory: { what: "what each machine's process has in memory", limit: 0.3 },
  counts: {
    second: {
      what: "calls a second of all machines together, with their clients, servers and PostgreSQL on two cores",
    },
    used: { what: "cores that all of these used meanwhile" },
    pgCall: { what: "PostgreSQL for a call", unit: "ms" },
    pgMove: { what: "PostgreSQL for a call of a client that another machine had", unit: "ms" },
    trips: { what: "round trips to PostgreSQL for a call" },
    joinTrips: { what: "round trips for a client that opens a session and calls" },
    moveTrips: { what: "round trips for a call of a client that another machine had" },
    idleTrips: { what: "round trips of each machine in a second in which nothing happens" },
    joinBytes: { what: "written to PostgreSQL's log for a client that opens a session and calls", unit: "bytes" },
    callBytes: { what: "written to PostgreSQL's log for a call", unit: "bytes" },
    session: { what: "left in the database by a client with its session", unit: "bytes" },
    connections: { what: "connections to PostgreSQL of each machine" },
  },
  async measure(size) {
    const [many, opened] = [CALLS_EACH * size, SESSIONS_EACH * size];
    const postgres = await openOwnPostgres();
    const stubs = startBeside(STUBS, ["1", String(TOOLS)]);
    const [port] = await once(stubs.child, "message");
    /** @type {Machine[]} */
    const machines = [];
    for (let at = 0; at < size; at++) machines.push(await startMachine(port, postgres.url));
    const beside = [process.pid, stubs.child.pid ?? 0];
    const costOf = costing(postgres, machines);
    const first = await openSessions(machines, CLIENTS * size);
    await callAll(machines, first, WARM_UP * size);

    const before = await databaseBytes(postgres);
    /** @type {readonly string[]} */
    let later = [];
    const joined = await costOf(async () => {
      later = await openSessions(machines, opened);
    });
    const connections = await postgres.numberOf(
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'toolcrib'",
    );
    const session = ((await databaseBytes(postgres)) - before) / opened;
    const moved = await costOf(() => callElsewhere(machines, later));
    const others = () => beside.reduce((sum, pid) => sum + cpuOfProcess(pid), 0);
    const [start, othersBefore] = [performance.now(), others()];
    const called = await costOf(() => callAll(machines, first, many));
    const ms = performance.now() - start;
    const used = (called.cpu + called.postgres + others() - othersBefore) / ms;
    const looked = await Promise.all(machines.map(({ look }) => look()));
    const idle = await costOf(pause);
    const seconds = IDLE_MS / 1_000;
    return {
      cpu: {
        call: called.cpu / many,
        open: joined.cpu / opened,
        "pg open": joined.postgres / opened,
        move: (moved.cpu + moved.postgres) / opened,
        "pg idle": idle.postgres / seconds,
      },
      memory: looked.reduce((sum, { rss }) => sum + rss, 0) / size,
      counts: {
        ...{ second: (many / ms) * 1_000, used, trips: called.trips / many },
        ...{ pgCall: called.postgres / many, pgMove: moved.postgres / opened },
        ...{ joinTrips: joined.trips / opened, moveTrips: moved.trips / opened },
        ...{ idleTrips: idle.trips / seconds / size, joinBytes: joined.wal / opened, callBytes: called.wal / many },
        ...{ session, connections: connections / size },
      },
    };
  },
};

const pause = () => new Promise((resolve) => setTimeout(resolve, IDLE_MS));

/** @param {number} port of the server behind it @param {string} store @returns {Promise<Machine>} */
async function startMachine(port, store) {
  const limits = { sessions: 20_000, sessionsEach: 20_000, sessionsOfPerson: 20_000 };
  const servers = { stub: { url: `http://127.0.0.1:${port}/0/mcp` } };
  const env = { TOOLCRIB_BENCH_STORE: store, TMPDIR: ownFolder() };
  const { child } = startBeside(GATEWAY, [JSON.stringify(limits), JSON.stringify(servers)], env);
  const [{ port: door }] = await once(child, "message");
  return {
    pid: child.pid ?? 0,
    connections: openConnections(door),
    async look() {
      child.send("look");
      const [looked] = await once(child, "message");
      return looked;
    },
  };
}

/**
 * @param {import("../how-it-grows/own-postgres.mjs").OwnPostgres} postgres
 * @param {readonly Machine[]} machines
 */
function costing(postgres, machines) {
  const now = async () => {
    const looked = await Promise.all(machines.map(({ look }) => look()));
    return {
      cpu: machines.reduce((sum, { pid }) => sum + cpuOfProcess(pid), 0),
      postgres: await postgres.cpu(),
      trips: looked.reduce((sum, { trips }) => sum + trips, 0),
      wal: await postgres.numberOf("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"),
    };
  };
  return async (/** @type {() => Promise<unknown>} */ work) => {
    const before = await now();
    await work();
    const after = await now();
    return {
      cpu: after.cpu - before.cpu,
      postgres: after.postgres - before.postgres,
      trips: after.trips - before.trips,
      wal: after.wal - before.wal,
    };
  };
}

/** @param {import("../how-it-grows/own-postgres.mjs").OwnPostgres} postgres */
const databaseBytes = (postgres) => postgres.numberOf("SELECT pg_database_size(current_database())");

const COMMON = `authorization: Bearer ${TOKEN}\r\n`;
const GREETING = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };

/** The ids of so many sessions, of the machines in turns, each of which has called once. @param {readonly Machine[]} machines @param {number} many */
async function openSessions(machines, many) {
  /** @type {string[]} */
  const ids = [];
  await inTurns(machines, many, async ({ connections }, at) => {
    const greeting = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: GREETING });
    const { head } = await connections.post("/mcp", COMMON, greeting);
    ids[at] = /^mcp-session-id: *(\S+)/im.exec(head)?.[1] ?? "";
    const ready = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    await connections.post("/mcp", `${COMMON}mcp-session-id: ${ids[at]}\r\n`, ready);
    await call(connections, ids[at] ?? "", at);
  });
  return ids;
}

/** @param {readonly Machine[]} machines @param {readonly string[]} ids @param {number} many */
const callAll = (machines, ids, many) =>
  inTurns(machines, many, ({ connections }, at) => call(connections, ids[at % ids.length] ?? "", at));

/** Each at the machine after the one where it was. @param {readonly Machine[]} machines @param {readonly string[]} ids */
const callElsewhere = (machines, ids) =>
  inTurns(machines, ids.length, (_, at) => {
    const next = machines[(at + 1) % machines.length];
    if (next === undefined) throw new Error("there is no machine");
    return call(next.connections, ids[at] ?? "", at);
  });

/** @param {Machine["connections"]} connections @param {string} session @param {number} at */
async function call(connections, session, at) {
  const params = { name: "stub__list_issue_0", arguments: { issue_0: `m${at}` } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: at + 1, method: "tools/call", params });
  const { text } = await connections.post("/mcp", `${COMMON}mcp-session-id: ${session}\r\n`, body);
  if (!text.includes(`m${at}`)) throw new Error(text.slice(0, 500));
}

/**
 * So much work for the machines in turns, as many at once at each as it has clients.
 * @param {readonly Machine[]} machines @param {number} many @param {(machine: Machine, at: number) => Promise<unknown>} work
 */
async function inTurns(machines, many, work) {
  const workers = machines.flatMap((machine, place) =>
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (let at = place + client * machines.length; at < many; at += CLIENTS * machines.length)
        await work(machine, at);
    }),
  );
  await Promise.all(workers);
}
