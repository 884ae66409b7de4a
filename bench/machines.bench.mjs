import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres } from "../test/support/find-postgres.mjs";
import { startPostgres } from "../test/support/postgres-server.mjs";
import { isUpstream, ownTarget } from "./gateway-targets.mjs";
import { median } from "./measure.mjs";
import { cpuOfTree } from "./process-tree.mjs";

const ROUNDS = 5;
const WARM_UP = 2_000;
const CALLS = 3_000;
const WORKERS = 16;
const LIMIT = 1.15;

/** What a plain call costs where clients' sessions are kept in a store, against the same gateway without one. */
export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
  const server = findPostgres() === null ? null : await startPostgres({ durable: true });
  try {
    const stores = new Map([["SQLite", `sqlite:${join(folder, "sessions.db")}`]]);
    if (server !== null) stores.set("PostgreSQL", await server.createDatabase("bench"));
    return await compare(stores);
  } finally {
    await server?.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {ReadonlyMap<string, string>} stores addresses by name */
async function compare(stores) {
  /** @type {Map<string, number[]>} */
  const costs = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, url] of [["none", null], ...stores]) {
      const target = await ownTarget(String(name), url === null ? {} : { TOOLCRIB_BENCH_STORE: String(url) }).open();
      try {
        const cost = await measure(target);
        console.error(`Machines: ${name} ${cost.toFixed(4)} CPU ms a call`);
        costs.set(String(name), [...(costs.get(String(name)) ?? []), cost]);
      } finally {
        await target.close();
      }
    }
  }
  /** @param {string} name */
  const of = (name) => median(costs.get(name) ?? []);
  return [...stores.keys()].map((name) => ({
    name: `CPU a call over HTTP with sessions kept in ${name}, against none`,
    measured: `${of(name).toFixed(3)} ms against ${of("none").toFixed(3)} ms`,
    ratio: of(name) / of("none"),
    limit: LIMIT,
  }));
}

/** @param {import("./gateway-targets.mjs").Target} target */
async function measure(target) {
  for (let index = 0; index < WARM_UP; index++) await target.echo("hello");
  const before = cpuOfTree(target.pid, isUpstream);
  let left = CALLS;
  const work = async () => {
    while (left-- > 0) await target.echo("hello");
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return (cpuOfTree(target.pid, isUpstream).own - before.own) / CALLS;
}
