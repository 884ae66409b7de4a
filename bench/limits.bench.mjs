import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadOptions } from "../dist/config/load-options.js";
import { openCrib } from "../dist/runtime/crib/open-crib.js";
import { clientProfile } from "../dist/runtime/crib/profile.js";
import { openStoreAt } from "../dist/runtime/store/open-store.js";
import { median } from "./measure.mjs";

const ROUNDS = 21;
const WARM_UP = 4_000;
const CALLS = 2_000;
const PERSONS = 20;
/** Microseconds that a call may cost more under limits by person (O13). */
const MORE = 15;
/** Round trips to the store that so many calls may need. */
const PLAIN = 1_000;
const LIMITS = [
  { calls: 1_000_000, per: "day" },
  { calls: 500_000, per: "minute" },
  { tokens: 100_000_000, per: "month" },
  { atOnce: 50 },
];

/** What a call costs more where its caller may use so much, and how often the store is asked for it. */
export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
  try {
    const kinds = [await open(join(folder, "free"), []), await open(join(folder, "limited"), LIMITS)];
    const [free, limited] = kinds;
    if (free === undefined || limited === undefined) throw new Error("there are two");
    for (const kind of kinds) await callAll(kind, WARM_UP);
    /** @type {number[]} */
    const more = [];
    /** @type {number[]} */
    const costs = [];
    let trips = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const turns = round % 2 === 0 ? [free, limited] : [limited, free];
      const before = limited.trips();
      const spent = new Map();
      for (const kind of turns) {
        const start = process.cpuUsage();
        await callAll(kind, CALLS);
        // What is said to the store in between is part of it.
        await kind.pause();
        const { user, system } = process.cpuUsage(start);
        spent.set(kind, (user + system) / CALLS);
      }
      trips += limited.trips() - before;
      more.push(spent.get(limited) - spent.get(free));
      costs.push(spent.get(free));
      console.error(`Limits: round ${round + 1} of ${ROUNDS}, ${more.at(-1)?.toFixed(1)} µs more`);
    }
    for (const kind of kinds) await kind.close();
    const [low, high] = interval(more);
    const calls = ROUNDS * CALLS;
    return [
      {
        name: `CPU more for a call under four limits by person, ${PERSONS} persons, in units of ${MORE} µs`,
        measured: `${median(more).toFixed(1)} µs (${low.toFixed(1)} to ${high.toFixed(1)}) on ${median(costs).toFixed(1)} µs`,
        ratio: median(more) / MORE,
        limit: 1,
      },
      {
        name: `changes in the store for such calls, for ${PLAIN} of them`,
        measured: `${((trips / calls) * PLAIN).toFixed(1)} for ${PLAIN} calls (${trips} for ${calls})`,
        ratio: ((trips / calls) * PLAIN) / PLAIN,
        limit: 0.1,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {readonly object[]} limits
 */
async function open(folder, limits) {
  const place = { cwd: folder, home: folder, env: process.env };
  const clients = Array.from({ length: PERSONS }, (_, at) => ({ name: `person-${at}`, token: `token-${at}` }));
  const options = { builtins: "all", permissions: { allow: ["*"] }, gateway: { builtins: "all", clients, limits } };
  const config = await loadOptions(options, "bench", place);
  const store = await openStoreAt(`sqlite:${folder}.db`, { ...place, workspace: folder });
  let changes = 0;
  const keyValues = (/** @type {Parameters<typeof store.keyValues>[0]} */ at) => {
    const values = store.keyValues(at);
    /** @type {typeof values.change} */
    const change = (key, to) => {
      changes += 1;
      return values.change(key, to);
    };
    return { ...values, change };
  };
  const shared = { store: { ...store, keyValues }, scope: "bench" };
  const crib = await openCrib(config, { ...place, version: "0", workspace: folder, shared, drain: 0 });
  const views = await Promise.all(
    config.gateway.clients.map((client) =>
      crib.openView({
        profile: clientProfile(client, client.name ?? ""),
        ...{ label: client.name ?? "", client: null, approve: null },
      }),
    ),
  );
  return {
    views,
    trips: () => changes,
    pause: () => new Promise((resolve) => setTimeout(resolve, 1_100)),
    async close() {
      await crib.close();
      await store.close();
    },
  };
}

/**
 * @param {Awaited<ReturnType<typeof open>>} kind
 * @param {number} count
 */
async function callAll({ views }, count) {
  for (let at = 0; at < count; at += 1) {
    const { resultType, textResultForLlm } = (await views[at % views.length]?.call("think", { thought: "on" })) ?? {};
    if (resultType !== "success") throw new Error(textResultForLlm);
  }
}

/**
 * Order statistics that hold the median with 95 % of certainty, for 21 rounds.
 * @param {readonly number[]} values
 */
function interval(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return /** @type {const} */ ([sorted[5] ?? Number.NaN, sorted[15] ?? Number.NaN]);
}
