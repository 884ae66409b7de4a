// The first second: what our own code costs of each way to start, beside Node and the servers. TOOLCRIB_BENCH_BASE names
// another checkout, built, whose starts are measured in turns with those of this one.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SERVERS } from "./first-second/servers.mjs";
import { timeStart } from "./first-second/time-start.mjs";
import { BARE_NODE, BARE_NPM, BARE_SERVERS, WAYS } from "./first-second/ways.mjs";
import { median } from "./measure.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ROUNDS = 5;
const UNTIL_KEPT = 6_000;
const SCRIPT = `replies:
  - { text: Let me look around., calls: [{ tool: glob, arguments: { pattern: "*.md" } }] }
  - text: There is a README.
`;

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-first-"));
  const base = process.env.TOOLCRIB_BENCH_BASE;
  const checkouts = [ROOT, ...(base === undefined ? [] : [base])];
  try {
    const place = makePlace(join(folder, "floors"), {});
    const bareProject = makeBareProject(folder);
    const floors = { node: BARE_NODE, servers: BARE_SERVERS, npm: { ...BARE_NPM, cwd: bareProject } };
    const node = medians(await repeat(() => timeStart(floors.node, place)));
    const servers = medians(await repeat(() => timeStart(floors.servers, place)));
    const npm = medians(await repeat(() => timeStart(floors.npm, place)));
    console.error(`a bare Node ${show(node)}; the five servers ${show(servers)}; an empty \`npm start\` ${show(npm)}`);
    const rows = [];
    for (const [at, way] of chosenWays().entries()) {
      const places = checkouts.map((_, of) =>
        makePlace(join(folder, `${at}-${of}`), way.hasServers === false ? {} : SERVERS),
      );
      const [ours, before] = (await timeInTurns(way, checkouts, places)).map((uses) =>
        toOwn(uses, way.nodes * node.own),
      );
      if (ours === undefined) continue;
      const than = before === undefined ? "" : `; in the other checkout ${showOwn(before)}`;
      rows.push({
        name: way.name,
        measured: `${showOwn(ours)}${than}`,
        ratio: ours.own / node.own,
        limit: Number((way.before / 2).toFixed(1)),
      });
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Those whose names hold what TOOLCRIB_BENCH_WAYS says, as far as this machine has what they need. */
function chosenWays() {
  const wanted = process.env.TOOLCRIB_BENCH_WAYS ?? "";
  return WAYS.filter(
    ({ name, start }) => name.includes(wanted) && (start(ROOT).command !== "script" || hasTerminals()),
  );
}

/**
 * @param {import("./first-second/ways.mjs").Way} way
 * @param {readonly string[]} checkouts
 * @param {readonly Place[]} places
 */
async function timeInTurns(way, checkouts, places) {
  const starts = checkouts.map((checkout, at) => {
    const place = places[at];
    if (place === undefined) throw new Error("each checkout has a place of its own");
    /** @param {number} [lasting] */
    return (lasting) => timeStart(way.start(checkout), place, lasting);
  });
  // What is kept between starts is there from the second on, where the first was ended later than in the measured ones.
  for (const start of starts) await start(UNTIL_KEPT);
  const uses = starts.map(() => /** @type {Used[]} */ ([]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, start] of starts.entries()) uses[at]?.push(await start());
  return uses;
}

/**
 * @typedef {import("./first-second/time-start.mjs").Used} Used
 * @typedef {ReturnType<typeof makePlace>} Place
 */

/**
 * @param {readonly Used[]} uses
 * @param {number} node
 */
function toOwn(uses, node) {
  const used = medians(uses);
  return { ...used, own: used.own - node, node };
}

/** @param {readonly Used[]} uses */
function medians(uses) {
  /** @param {keyof Used} key */
  const of = (key) => median(uses.map((used) => used[key]));
  return { wall: of("wall"), own: of("own"), servers: of("servers"), npm: of("npm") };
}

/** @param {() => Promise<Used>} work */
async function repeat(work) {
  const uses = [];
  for (let round = 0; round < ROUNDS; round++) uses.push(await work());
  return uses;
}

/** @param {Used & { node: number }} used */
function showOwn(used) {
  return `${used.own.toFixed(0)} ms of ${show(used)}`;
}

/** @param {Used & { node?: number }} used */
function show({ wall, own, servers, npm, node = 0 }) {
  return `${(own + servers + npm + node).toFixed(0)} ms of CPU in ${wall.toFixed(0)} ms`;
}

/**
 * A project of somebody who has configured the servers, and nothing else.
 * @param {string} folder
 * @param {typeof SERVERS} mcpServers
 */
function makePlace(folder, mcpServers) {
  const cwd = join(folder, "project");
  const own = join(folder, ".config", "toolcrib");
  for (const path of [join(cwd, ".git"), own]) mkdirSync(path, { recursive: true });
  writeFileSync(join(own, "config.json"), JSON.stringify({ mcpServers, toolSearch: "off" }));
  writeFileSync(join(cwd, "script.yaml"), SCRIPT);
  const terminal = { TERM: "xterm", NO_COLOR: "1", npm_config_update_notifier: "false" };
  const env = { PATH: process.env.PATH ?? "", HOME: folder, ...terminal };
  return { cwd, env };
}

/** @param {string} folder */
function makeBareProject(folder) {
  const cwd = join(folder, "bare");
  mkdirSync(cwd);
  const start = "echo bare && sleep 60";
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ name: "bare", scripts: { start } }));
  return cwd;
}

/** Of util-linux: a terminal for a program. */
function hasTerminals() {
  return spawnSync("script", ["--version"], { stdio: "ignore" }).status === 0;
}
