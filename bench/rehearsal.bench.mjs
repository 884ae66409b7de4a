import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../dist/config/load-config.js";
import { toScene } from "../dist/config/to-scene.js";
import { toTool } from "../dist/core/tool/tool.js";
import { loadCommandReader } from "../dist/runtime/permissions/command-reader.js";
import { openGrants } from "../dist/runtime/permissions/grant-store.js";
import { rehearse } from "../dist/runtime/rehearsal/rehearse.js";
import { BUILTIN_SETS, BUILTIN_TOOLS } from "../dist/sources/builtin/definitions.js";

const CALLS = 100_000;
const TOOLS = 300;
const PEOPLE = 50;
const GROUPS = ["eng", "ops", "sales"];
/** Seconds for all of it, on one core. */
const MOST = 60;
const ISSUER = "https://login.example.com";

/** How long it takes to try a policy on a hundred thousand calls, no two of which are the same. */
export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
  try {
    const before = process.cpuUsage();
    const began = performance.now();
    const report = await rehearseAll(folder);
    const { user, system } = process.cpuUsage(before);
    if (report.judged !== CALLS || report.changes.length === 0) throw new Error(JSON.stringify(report).slice(0, 500));
    const cpu = (user + system) / 1_000_000;
    const wall = (performance.now() - began) / 1_000;
    return [
      {
        name: `CPU to rehearse ${CALLS.toLocaleString("en")} calls of ${PEOPLE} people, 30 % of them shell lines, in units of ${MOST} s`,
        measured: `${cpu.toFixed(1)} s (${wall.toFixed(1)} s on the clock)`,
        ratio: cpu / MOST,
        limit: 1,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder */
async function rehearseAll(folder) {
  const home = join(folder, "home");
  const cwd = join(home, "work");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const load = (/** @type {object} */ more) => loadIn(cwd, home, more);
  const now = await load({});
  const next = await load({ deny: ["Bash(rm:*)", "crm/tool_7"], ask: ["Bash(git push:*)", "crm/tool_1*"] });
  const tools = Array.from({ length: TOOLS }, (_, at) =>
    toTool({
      name: `tool_${at}`,
      source: "mcp",
      server: "crm",
      inputSchema: { type: "object" },
      description: "Does it",
    }),
  );
  const all = [...BUILTIN_TOOLS, ...tools];
  const names = new Map(tools.map(({ name }) => [`crm__${name}`, `crm/${name}`]));
  const list = { hash: "h", tools: all, names, used: 1 };
  const place = {
    ...{
      base: toScene(now, { sets: BUILTIN_SETS, sandboxActive: false }),
      workspace: cwd,
      home,
      path: "/usr/bin:/bin",
    },
    ...{ grants: await openGrants({ home, env: {}, workspace: cwd }), now: Date.now },
  };
  return rehearse({
    now,
    next,
    place,
    lists: new Map([["h", list]]),
    rows: rows(),
    signal: new AbortController().signal,
  });
}

/**
 * @param {string} cwd
 * @param {string} home
 * @param {{ deny?: string[], ask?: string[] }} more
 */
async function loadIn(cwd, home, { deny = [], ask = [] }) {
  const path = join(cwd, "toolcrib.yaml");
  const people = GROUPS.map((group) => ({ group, profile: group }));
  writeFileSync(
    path,
    JSON.stringify({
      mcpServers: { crm: { command: "true" } },
      sandbox: { allowHostShell: true, shell: "off" },
      permissions: { allow: ["Bash(git:*)", "Bash(npm run:*)", "crm/tool_2*", "Read(src/**)"], deny, ask },
      gateway: {
        publicUrl: "https://tools.example.com",
        builtins: "all",
        profiles: Object.fromEntries(GROUPS.map((group) => [group, { exclude: [`crm/tool_3${group.length}`] }])),
        auth: { login: { issuer: ISSUER, clientId: "x" }, people },
      },
    }),
  );
  return loadConfig({
    cwd,
    home,
    env: {},
    flags: { config: path },
    loadCommandReader,
    systemPolicy: join(home, "none.yaml"),
  });
}

async function* rows() {
  for (let at = 0; at < CALLS; at += 500) {
    const page = Array.from({ length: 500 }, (_, more) => row(at + more));
    yield {
      rows: page.map(({ row: one }) => one),
      bodies: new Map(page.map(({ row: one, body }) => [one.body, body])),
    };
  }
}

const LINES = [
  (/** @type {number} */ at) => `git log -${at} && cat src/file-${at}.ts | head -${at % 50}`,
  (/** @type {number} */ at) => `npm run test -- case-${at} > out-${at}.txt 2>&1`,
  (/** @type {number} */ at) => `for f in a-${at} b c; do grep -n "x${at}" "$f"; done`,
  (/** @type {number} */ at) => `rm -rf build/${at} && git push origin branch-${at}`,
];

/** @param {number} at */
function row(at) {
  const subject = `person-${at % PEOPLE}`;
  const isShell = at % 10 < 3;
  const args = isShell
    ? { command: LINES[at % LINES.length]?.(at) }
    : { id: at, text: `customer ${at} asks for number ${at * 7}` };
  const row = /** @type {import("../dist/runtime/audit/audit-row.js").AuditRow & { body: string }} */ ({
    ...{ type: "call", seq: at, run: "r", time: "2026-11-19T04:00:00.000Z", prev: "", hash: "" },
    ...{ session: "s", client: "c", principal: `${subject}@login.example.com`, call: `c${at}`, body: `b${at}` },
    person: { issuer: ISSUER, subject, client: null, profiles: [] },
    tool: isShell ? "bash" : `crm__tool_${at % TOOLS}`,
    judged: { policy: "p", list: "h" },
    ...{ decision: null, result: "success", error: null, duration: 1, cancelledBy: null },
  });
  const caller = { groups: [GROUPS[at % GROUPS.length] ?? ""], claims: [] };
  return { row, body: { arguments: args, error: null, reason: null, caller } };
}
