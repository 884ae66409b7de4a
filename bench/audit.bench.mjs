import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAuditLog } from "../dist/runtime/audit/audit-log.js";
import { createBodyBox } from "../dist/runtime/audit/body-box.js";
import { spoolFolder } from "../dist/runtime/audit/body-spool.js";
import { openExports } from "../dist/runtime/audit/export/open-exports.js";
import { openGathering } from "../dist/runtime/audit/gather.js";
import { createSealer } from "../dist/runtime/people/sealer.js";
import { createStore } from "../dist/runtime/store/create-store.js";
import { openSqlite } from "../dist/runtime/store/sqlite/open-sqlite.js";

/** Calls a second, and for how many of them. */
const RATE = 1_000;
const SECONDS = 20;
const CALLS = RATE * SECONDS;
/** Milliseconds of CPU that one second of so many calls may take, of all that happens to their rows. */
const MOST_CPU = 500;
/** Seconds after the last call within which the last row must have arrived everywhere. */
const LAG = 5;
/** Milliseconds between looks at what is due. */
const TICK = 10;

/** What a log with sealed bodies, a store and three destinations costs at a thousand calls a second, and whether anything is lost. */
export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-audit-"));
  const collector = await startCollector();
  try {
    return await measure(folder, collector);
  } finally {
    await collector.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {Awaited<ReturnType<typeof startCollector>>} collector
 */
async function measure(folder, collector) {
  const path = join(folder, "audit.jsonl");
  const lines = join(folder, "sent.jsonl");
  /** @type {string[]} */
  const told = [];
  const onError = (/** @type {string} */ text) => void told.push(text);
  const store = createStore(await openSqlite(join(folder, "sessions.db")));
  const place = { store, scope: "bench" };
  const sealer = createSealer([Buffer.alloc(32, 7)]);
  const bodies = createBodyBox({ folder: spoolFolder(path), sealer, scope: "bench" });
  const log = await openAuditLog({ path, onError, bodies });
  const origin = /** @type {const} */ ({ kind: "default" });
  const entry = { url: null, path: null, ca: null, cert: null, key: null, format: "toolcrib", headers: new Map() };
  const exports = /** @type {any[]} */ ([
    { ...entry, to: "otlp", url: `${collector.origin}/v1/logs`, isUnset: false, origin },
    { ...entry, to: "https", url: `${collector.origin}/rows`, format: "ocsf", isUnset: false, origin },
    { ...entry, to: "file", path: lines, isUnset: false, origin },
  ]);
  const carriers = await openExports({ exports, path, env: {}, version: "1", write: async () => {}, onError });
  const gathering = await openGathering({ path, place, onError });
  log.onWritten(() => {
    for (const carrier of [...carriers, gathering]) carrier.wake();
  });
  const before = process.cpuUsage();
  const began = performance.now();
  let made = 0;
  while (made < CALLS) {
    const due = Math.min(CALLS, Math.floor(((performance.now() - began) / 1_000) * RATE));
    for (; made < due; made += 1) log.judged(toCall(made));
    await new Promise((resolve) => setTimeout(resolve, TICK));
  }
  const ended = performance.now();
  await log.close();
  await Promise.all(carriers.map((carrier) => carrier.close(60_000)));
  await gathering.close(60_000);
  const lag = (performance.now() - ended) / 1_000;
  const { user, system } = process.cpuUsage(before);
  const cpu = (user + system) / 1_000 / SECONDS;
  const rows = CALLS + 2;
  const found = {
    otlp: collector.ids.get("/v1/logs")?.size ?? 0,
    https: collector.ids.get("/rows")?.size ?? 0,
    file: new Set(
      readFileSync(lines, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).id),
    ).size,
    store: await countRows(place),
  };
  await store.close();
  const lost = Object.values(found).reduce((sum, count) => sum + (rows - count), 0) + told.length;
  return [
    {
      name: `${RATE.toLocaleString("en")} calls a second for ${SECONDS} s: rows missing in a collector, an HTTP receiver, a file and the store`,
      measured: `${lost} of ${(4 * rows).toLocaleString("en")}`,
      ratio: lost,
      limit: 0,
    },
    {
      name: "seconds from the last call until its row has arrived everywhere, as a part of five",
      measured: `${lag.toFixed(1)} s`,
      ratio: lag / LAG,
      limit: 1,
    },
    {
      name: "CPU for that, receivers included, as a part of half a core",
      measured: `${cpu.toFixed(0)} ms a second; ${((cpu * 1_000) / RATE).toFixed(0)} µs a call`,
      ratio: cpu / MOST_CPU,
      limit: 1,
    },
  ];
}

/** @param {{ store: import("../dist/runtime/store/store.js").Store, scope: string }} place */
async function countRows({ store, scope }) {
  let count = 0;
  for (const run of await store.log.runs(scope)) {
    for (let after = -1; ; ) {
      const page = await store.log.rows(scope, { run, after, limit: 5_000 });
      count += page.length;
      const last = page.at(-1);
      if (last === undefined || page.length < 5_000) break;
      after = last.seq;
    }
  }
  return count;
}

/** @param {number} at */
function toCall(at) {
  return {
    ...{ session: "5f3a2c1e", client: "claude-code", principal: "alice@idp.example.com", agent: null },
    ...{ call: `call_${at}`, tool: "github__create_issue" },
    given: { owner: "acme", repo: "tools", title: `Issue ${at}`, body: "It does not work as written. ".repeat(10) },
    decision: {
      decision: "allow",
      code: "permission.allowed",
      text: "allowed by a rule",
      origin: "toolcrib.yaml:12",
      by: null,
    },
  };
}

/** Takes rows as a collector does, and knows each by its id. */
async function startCollector() {
  /** @type {Map<string, Set<string>>} */
  const ids = new Map([
    ["/v1/logs", new Set()],
    ["/rows", new Set()],
  ]);
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString("utf8");
    const known = ids.get(request.url ?? "");
    const found =
      request.url === "/rows"
        ? body.matchAll(/"uid":"([0-9a-f]{64})"/g)
        : body.matchAll(/"log\.record\.uid","value":\{"stringValue":"([0-9a-f]{64})"/g);
    for (const [, id = ""] of found) known?.add(id);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", () => listening(null)));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const close = () =>
    new Promise((closed) => {
      server.closeAllConnections();
      server.close(() => closed(null));
    });
  return { origin: `http://127.0.0.1:${port}`, ids, close };
}
