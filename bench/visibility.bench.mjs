import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rebuildToolset } from "../dist/core/toolset/build-toolset.js";
import { buildCatalog, buildToolset, readWorld, toTool } from "../dist/doors/core.js";
import { median, medianMs } from "./measure.mjs";
import { makeDefinitions, makeWorld } from "./workload.mjs";

const ROUNDS = 9;
const WARM_UP = 6;
const SERVERS = 50;
const BIN = fileURLToPath(new URL("../bin/toolcrib.js", import.meta.url));

/** @typedef {{ name: string, measured: string, ratio: number, limit: number }} Row */

/** @returns {Row[]} */
export function run() {
  const scene = readWorld(makeWorld(), "bench").scene;
  const otherScene = readWorld(makeWorld({ exclude: ["server-10/*", "get_*"] }), "bench").scene;
  const fresh = (/** @type {number} */ count) => makeDefinitions(count, SERVERS);
  const cold = (/** @type {ReturnType<typeof fresh>} */ fields) =>
    buildToolset(buildCatalog(fields.map(toTool)), scene);

  const stringify = (/** @type {ReturnType<typeof fresh>} */ fields) =>
    fields.map((field) => JSON.stringify(field)).length;
  const built = cold(fresh(10_000));
  const withOneChanged = () => {
    const tools = built.catalog.entries.map(({ tool }) => tool);
    tools[4_321] = toTool({ ...fresh(1)[0], name: "changed", server: "server-21" });
    return tools;
  };
  const rebuild = (/** @type {ReturnType<typeof withOneChanged>} */ tools) =>
    rebuildToolset(built, buildCatalog(tools, { previous: built.catalog }));
  const rescene = (/** @type {typeof built.catalog} */ catalog) => buildToolset(catalog, otherScene);

  // The engine compiles what runs often; all sides are measured after that.
  medianMs(WARM_UP, () => fresh(2_000), stringify);
  medianMs(WARM_UP, () => fresh(2_000), cold);
  medianMs(WARM_UP, withOneChanged, rebuild);
  medianMs(WARM_UP, () => built.catalog, rescene);

  const floor = medianMs(ROUNDS, () => fresh(10_000), stringify);
  const coldMs = medianMs(ROUNDS, () => fresh(10_000), cold);
  const sceneMs = medianMs(ROUNDS, () => built.catalog, rescene);
  const changeMs = medianMs(ROUNDS, withOneChanged, rebuild);
  const hugeFloor = medianMs(3, () => fresh(100_000), stringify);
  const hugeMs = medianMs(5, () => fresh(100_000), cold);
  const peak = peakMegabytes();
  const [empty, list] = startTimes();
  const [print, large] = largeWorld();
  return [
    {
      name: "10,000 tools of 50 servers, cold",
      measured: `${ms(coldMs)} against ${ms(floor)} of JSON.stringify`,
      ratio: coldMs / floor,
      limit: 4,
    },
    {
      name: "100,000 tools, cold",
      measured: `${ms(hugeMs)} against ${ms(hugeFloor)} of JSON.stringify`,
      ratio: hugeMs / hugeFloor,
      limit: 4,
    },
    {
      name: "rebuild of 10,000 tools after one changed",
      measured: `${ms(changeMs)} against ${ms(floor)} of JSON.stringify`,
      ratio: changeMs / floor,
      limit: 0.25,
    },
    {
      name: "a new scene on the same catalog",
      measured: `${ms(sceneMs)} against ${ms(floor)} of JSON.stringify`,
      ratio: sceneMs / floor,
      limit: 1,
    },
    {
      name: "100,000 tools against 10,000",
      measured: `${ms(hugeMs)} against ${ms(coldMs)}`,
      ratio: hugeMs / coldMs,
      limit: 12,
    },
    {
      name: "peak memory for 10,000 tools, in units of 300 MB",
      measured: `${Math.round(peak)} MB`,
      ratio: peak / 300,
      limit: 1,
    },
    {
      name: "`toolcrib list --world` on a small world, against `node -e 0`",
      measured: `${ms(list)} against ${ms(empty)}`,
      ratio: list / empty,
      limit: 3,
    },
    {
      name: "CPU of `toolcrib list --world FILE --json` on 10,000 tools, against parsing and printing the file",
      measured: `${ms(large)} against ${ms(print)}`,
      ratio: large / print,
      limit: 4,
    },
  ];
}

/** @param {number} value */
function ms(value) {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}

/** The most a process of its own ever held while it built and judged 10,000 tools. */
function peakMegabytes() {
  const script = fileURLToPath(new URL("./peak-memory.mjs", import.meta.url));
  const { stdout } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  return Number(stdout);
}

function startTimes() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
  const world = join(folder, "world.json");
  writeFileSync(
    world,
    JSON.stringify({
      tools: [{ name: "view" }, { name: "edit" }, { name: "list_issues", source: "mcp", server: "github" }],
      options: { excludeTools: ["github/*"] },
    }),
  );
  const time = (/** @type {string[]} */ args) => {
    const start = performance.now();
    spawnSync(process.execPath, args, { stdio: "ignore" });
    return performance.now() - start;
  };
  const empty = [];
  const list = [];
  for (let round = 0; round < 21; round++) {
    empty.push(time(["-e", "0"]));
    list.push(time([BIN, "list", "--world", world, "--json"]));
  }
  rmSync(folder, { recursive: true });
  return /** @type {const} */ ([median(empty), median(list)]);
}

const PRINT =
  "process.stdout.write(JSON.stringify(JSON.parse(require('node:fs').readFileSync(process.argv[1], 'utf8'))))";

/** CPU time of whole processes, by turns: one that only parses and prints a world, and one that lists it. */
function largeWorld() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
  const world = join(folder, "world.json");
  writeFileSync(world, JSON.stringify({ ...makeWorld(), tools: makeDefinitions(10_000, SERVERS) }));
  const print = [];
  const list = [];
  for (let round = 0; round < ROUNDS; round++) {
    print.push(cpuOf(["-e", PRINT, world]));
    list.push(cpuOf([BIN, "list", "--world", world, "--json"]));
  }
  rmSync(folder, { recursive: true });
  return /** @type {const} */ ([median(print), median(list)]);
}

/** @param {string[]} args */
function cpuOf(args) {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" > /dev/null';
  const { stderr } = spawnSync("bash", ["-c", script, "bash", process.execPath, ...args], { encoding: "utf8" });
  const [user = Number.NaN, system = Number.NaN] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return (user + system) * 1_000;
}
