import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cpuOf, heldBytes } from "../how-it-grows/count.mjs";

const SERVERS = 50;
/** Each is asked about once before anything is known of it, and some again and again. */
const TOOLS = 500;

/** @type {readonly ((at: number) => readonly ["deny" | "ask" | "allow", string])[]} */
const RULES = [
  (at) => ["deny", `mcp__server-${at % SERVERS}__drop_${at}`],
  (at) => ["deny", at % 2 === 0 ? `Read(/private/area-${at}/**)` : `Read(**/secret-${at}.key)`],
  (at) => ["allow", `Edit(/src/area-${at}/**)`],
  (at) => [at % 2 === 0 ? "ask" : "allow", `Bash(tool-${at} ${at % 2 === 0 ? "push" : "test"}:*)`],
  (at) => ["deny", `WebFetch(domain:site-${at}.example.com)`],
];

/** @typedef {[name: string, args: Readonly<Record<string, unknown>>]} Call */

/** @type {import("../how-it-grows/curve.mjs").Curve} */
export const curve = {
  name: "rules",
  title: "Rules",
  unit: "rules",
  what: "Permission rules, a fifth each about tools, files read, files written, commands and addresses. None is about the call.",
  sizes: [10, 100, 1_000, 10_000],
  quick: 1_000,
  lines: {
    first: { what: "the first call of a tool of a server", limit: 0.3 },
    tool: { what: "one more call of such a tool, one rule looking at its arguments", limit: 0.3 },
    read: { what: "reading a file of the workspace", limit: 0.3 },
    shell: { what: "a command line of three commands", limit: 0.3 },
    url: { what: "fetching an address", limit: 0.3 },
    load: { what: "from their texts to the first answer", limit: 1.05 },
  },
  memory: { what: "what they keep, and what was found out about 500 tools", limit: 1.05 },
  async measure(size) {
    const workspace = mkdtempSync(join(tmpdir(), "toolcrib-curves-"));
    try {
      return await measureIn(workspace, size);
    } finally {
      rmSync(workspace, { recursive: true });
    }
  },
};

/** Calls that no rule is about. @type {Readonly<Record<"tool" | "read" | "shell" | "url", Call>>} */
const CALLS = {
  tool: ["server-0__get_0", { account: "a-1" }],
  read: ["view", { path: "docs/guide/start.md" }],
  shell: ["bash", { command: "cd docs && npm run build 2>&1 | tail -20" }],
  url: ["web_fetch", { url: "https://docs.example.org/start" }],
};

/** @param {string} workspace @param {number} size */
async function measureIn(workspace, size) {
  const open = await opening(workspace);
  // Compiled before anything counts, whatever the size.
  const small = await open(10);
  for (let round = 0; round < 300; round++) for (const call of Object.values(CALLS)) await small.ask(...call);
  const load = await cpuOf(async () => (await open(size)).ask(...CALLS.read), {
    ...{ rounds: 3, times: Math.max(1, Math.round(100 / size)) },
  });
  const before = await heldBytes();
  const judge = await open(size);
  const tools = judge.names.filter((name) => name.startsWith("server-"));
  const first = await cpuOf(() => judge.ask(tools.pop() ?? "", {}), { rounds: 5, times: TOOLS / 10 });
  const memory = (await heldBytes()) - before;
  /** @type {Record<string, number>} */
  const each = {};
  const times = Math.max(5, Math.round(50_000 / (size + 1_000)));
  for (const [name, call] of Object.entries(CALLS)) each[name] = await cpuOf(() => judge.ask(...call), { times });
  return { cpu: { first, ...each, load }, memory };
}

/**
 * Opens what a session opens to judge calls, for so many rules. Each answer has to say that no rule is about the call.
 * @param {string} workspace
 */
async function opening(workspace) {
  const { loadOptions } = await import("../../dist/config/load-options.js");
  const { toScene } = await import("../../dist/config/to-scene.js");
  const { buildCatalog } = await import("../../dist/core/catalog/catalog.js");
  const { createResolver } = await import("../../dist/core/catalog/resolver.js");
  const { toTool } = await import("../../dist/core/tool/tool.js");
  const { openGrants } = await import("../../dist/runtime/permissions/grant-store.js");
  const { createRuleBook } = await import("../../dist/runtime/permissions/rule-book.js");
  const { createRuleSettings } = await import("../../dist/runtime/session/calls/call-rules.js");
  const { BUILTIN_SETS, BUILTIN_TOOLS } = await import("../../dist/sources/builtin/definitions.js");
  const place = { cwd: workspace, home: workspace, env: {} };
  const grants = await openGrants({ ...place, workspace });
  const served = Array.from({ length: TOOLS }, (_, at) =>
    toTool({ name: `get_${at}`, source: "mcp", server: `server-${at % SERVERS}`, inputSchema: { type: "object" } }),
  );
  const catalog = buildCatalog([...BUILTIN_TOOLS, ...served]);
  const servers = Array.from({ length: SERVERS }, (_, at) => `server-${at}`);

  return async (/** @type {number} */ size) => {
    const config = await loadOptions({ permissions: toPermissions(size) }, "curves", place);
    const scene = toScene(config, { sets: BUILTIN_SETS, sandboxActive: false });
    const resolver = createResolver({ catalog, sets: scene.sets, servers });
    const toolset = { scene: { ...scene, resolver } };
    const rules = createRuleSettings({
      ...{ config: () => config, toolset: () => toolset, workspace, home: workspace, path: "/usr/bin:/bin" },
    });
    const book = createRuleBook({ rules, isTrusted: () => false, grants: () => grants, today: Date.now });
    const entries = new Map(catalog.entries.map((entry) => [entry.wireName, entry]));
    return {
      names: [...entries.keys()],
      async ask(/** @type {Call} */ ...[name, args]) {
        const entry = entries.get(name);
        if (entry === undefined) throw new Error(`no tool ${name}`);
        const call = { id: "call", toolName: name, arguments: args };
        const { decision } = await book.rule({ call, entry, tool: entry.tool, args });
        if (decision.rule !== null) throw new Error(`${decision.rule}: ${decision.text}`);
      },
    };
  };
}

/** @param {number} size */
function toPermissions(size) {
  /** @type {Record<"deny" | "ask" | "allow", string[]>} */
  const lists = { deny: ["mcp__server-0__get_0(account:root)"], ask: [], allow: [] };
  for (let at = 1; at < size; at++) {
    const [list, rule] = RULES[at % RULES.length]?.(at) ?? ["deny", ""];
    lists[list].push(rule);
  }
  return lists;
}
