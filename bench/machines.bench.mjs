import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres } from "../test/support/find-postgres.mjs";
import { startPostgres } from "../test/support/postgres-server.mjs";
import { isUpstream } from "./gateway-programs.mjs";
import { ownTarget } from "./gateway-targets.mjs";
import { median } from "./measure.mjs";
import { cpuOfTree } from "./process-tree.mjs";

/** New processes each, because one may be compiled better than the other by chance. */
const GENERATIONS = 3;
/** Rounds of each; in a round every gateway is measured once, each time in another order. */
const ROUNDS = 7;
const WARM_UP = 3_000;
const CALLS = 3_000;
const WORKERS = 16;
const LIMIT = 1.15;

/** @typedef {import("./gateway-targets.mjs").Target} Target */

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
  /** @type {Map<string, number[]>} CPU milliseconds a call, round by round */
  const costs = new Map(["none", ...stores.keys()].map((name) => [name, []]));
  for (let generation = 0; generation < GENERATIONS; generation++) await measureGeneration(stores, costs, generation);
  const bare = costs.get("none") ?? [];
  return [...stores.keys()].map((name) => {
    const own = costs.get(name) ?? [];
    return {
      name: `CPU a call over HTTP with sessions kept in ${name}, against none`,
      measured: `${median(own).toFixed(3)} ms against ${median(bare).toFixed(3)} ms`,
      // Of the same round each, so that what disturbs a round disturbs both.
      ratio: median(own.map((cost, round) => cost / (bare[round] ?? Number.NaN))),
      limit: LIMIT,
    };
  });
}

/**
 * @param {ReadonlyMap<string, string>} stores
 * @param {Map<string, number[]>} costs
 * @param {number} generation
 */
async function measureGeneration(stores, costs, generation) {
  /** @type {[string, Target][]} */
  const targets = [];
  try {
    for (const name of costs.keys()) {
      const url = stores.get(name);
      const target = await ownTarget(name, url === undefined ? {} : { TOOLCRIB_BENCH_STORE: url }).open();
      targets.push([name, target]);
      await call(target, WARM_UP);
    }
    for (let round = 0; round < ROUNDS; round++) {
      const order = targets.map((_, at) => targets[(at + round) % targets.length] ?? targets[0]);
      for (const one of order) if (one !== undefined) costs.get(one[0])?.push(await measure(one[1]));
      const last = [...costs].map(([name, all]) => `${name} ${all.at(-1)?.toFixed(4)}`).join(", ");
      console.error(
        `Machines: round ${generation * ROUNDS + round + 1} of ${GENERATIONS * ROUNDS}, CPU ms a call: ${last}`,
      );
    }
  } finally {
    await Promise.all(targets.map(([, target]) => target.close()));
  }
}

/** @param {Target} target */
async function measure(target) {
  const before = cpuOfTree(target.pid, isUpstream);
  await call(target, CALLS);
  return (cpuOfTree(target.pid, isUpstream).own - before.own) / CALLS;
}

/**
 * @param {Target} target
 * @param {number} calls
 */
async function call(target, calls) {
  let left = calls;
  const work = async () => {
    while (left-- > 0) await target.echo("hello");
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
}
