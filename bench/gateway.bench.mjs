import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { targets } from "./gateway-targets.mjs";
import { median } from "./measure.mjs";
import { installPeers } from "./peers.mjs";
import { cpuOfTree } from "./process-tree.mjs";

const ROUNDS = 3;
const WARM_UP = 200;
const ONE_BY_ONE = 500;
const ABREAST = 1_600;
const WORKERS = 32;
const MOST_STDIO = 0.35;

/** What a call costs behind this gateway and behind others, in front of the same server. */
export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
  try {
    return compare(await measureAll(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * CPU milliseconds a call of everything between the client and the answer, by target; rounds take turns.
 * @param {string} folder
 */
async function measureAll(folder) {
  /** @type {Map<string, number[]>} */
  const costs = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, open } of targets(folder, installPeers())) {
      const target = await open();
      try {
        const cost = await measure(target);
        costs.set(name, [...(costs.get(name) ?? []), cost]);
        console.error(`Gateway: ${name} ${cost.toFixed(3)} CPU ms a call`);
      } finally {
        await target.close();
      }
    }
  }
  return new Map([...costs].map(([name, values]) => [name, median(values)]));
}

/** @param {import("./gateway-targets.mjs").Target} target */
async function measure({ client, echo, pid }) {
  const call = async () => {
    const { content } = await client.callTool({ name: echo, arguments: { message: "hello" } });
    if (!JSON.stringify(content).includes("hello")) throw new Error(`not an echo: ${JSON.stringify(content)}`);
  };
  for (let index = 0; index < WARM_UP; index++) await call();
  const before = cpuOfTree(pid);
  for (let index = 0; index < ONE_BY_ONE; index++) await call();
  let left = ABREAST;
  const work = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return (cpuOfTree(pid) - before) / (ONE_BY_ONE + ABREAST);
}

/** @param {ReadonlyMap<string, number>} costs */
function compare(costs) {
  /** @param {string} name */
  const of = (name) => costs.get(name) ?? Number.NaN;
  const peers = ["mcp-proxy", "supergateway", "mcp-hub"].filter((name) => costs.has(name));
  const best = peers.reduce((least, name) => (of(name) < of(least) ? name : least));
  const ms = (/** @type {string} */ name) => `${of(name).toFixed(3)} ms`;
  return [
    {
      name: `CPU a call over HTTP with rules, a hook and audit, against the best of ${peers.join(", ")}`,
      measured: `${ms("toolcrib HTTP")} against ${peers.map((name) => `${name} ${ms(name)}`).join(", ")}`,
      ratio: of("toolcrib HTTP") / of(best),
      limit: 0.6,
    },
    {
      name: "the same against the server's own Streamable HTTP",
      measured: `${ms("toolcrib HTTP")} against ${ms("direct HTTP")}`,
      ratio: of("toolcrib HTTP") / of("direct HTTP"),
      limit: 0.6,
    },
    {
      name: "CPU that the stdio front adds to a call, in units of 0.35 ms",
      measured: `${ms("toolcrib stdio")} against ${ms("direct stdio")} direct`,
      ratio: (of("toolcrib stdio") - of("direct stdio")) / MOST_STDIO,
      limit: 1,
    },
  ];
}
