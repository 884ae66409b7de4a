import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cpuOf, heldBytes } from "../how-it-grows/count.mjs";
import { ownFolder, startBeside } from "../how-it-grows/tidy.mjs";

const STUBS = fileURLToPath(new URL("../how-it-grows/stub-servers.mjs", import.meta.url));
const TOOLS = 10;
const CALLS = 100;
const IDLE_MS = 2_000;

/** @type {import("../how-it-grows/curve.mjs").Curve} */
export const curve = {
  name: "servers",
  title: "Servers",
  unit: "servers",
  what: "MCP servers over HTTP with 10 tools each, all in one process beside, each with a session and an open stream.",
  sizes: [1, 5, 20, 100, 500],
  quick: 100,
  rounds: 2,
  lines: {
    start: { what: "until all have listed their tools", limit: 1.05 },
    list: { what: "the document of `toolcrib list --json`", limit: 1.05 },
    change: { what: "one server changes its list, until its tools are there", limit: 1.05 },
    call: { what: "one call through rules and log, the servers taking turns", limit: 0.3 },
    idle: { what: "a second in which nothing happens" },
  },
  memory: { what: "what the gateway keeps of them", limit: 1.05 },
  async measure(size) {
    const folder = ownFolder();
    // Compiled before anything counts, whatever the size.
    await measureIn(folder, 3);
    return await measureIn(folder, size);
  },
};

/** @param {string} folder @param {number} size */
async function measureIn(folder, size) {
  const { loadOptions } = await import("../../dist/config/load-options.js");
  const { openCrib } = await import("../../dist/runtime/crib/open-crib.js");
  const { openAuditLog } = await import("../../dist/runtime/audit/audit-log.js");
  const { toListText } = await import("../../dist/runtime/report/list-text.js");
  const { child: stubs, end } = startBeside(STUBS, [String(size), String(TOOLS)]);
  const [port] = await once(stubs, "message");
  const place = { cwd: folder, home: folder, env: {} };
  const servers = Array.from({ length: size }, (_, at) => `server-${at}`);
  const options = {
    mcpServers: Object.fromEntries(servers.map((name, at) => [name, { url: `http://127.0.0.1:${port}/${at}/mcp` }])),
    permissions: { allow: servers.map((name) => `mcp__${name}`), deny: ["Bash(rm:*)"] },
  };
  const config = await loadOptions(options, "curves", place);
  const audit = await openAuditLog({ path: join(folder, "audit.jsonl"), onError: console.error });
  const before = await heldBytes();
  /** @type {Awaited<ReturnType<typeof openCrib>> | null} */
  let opened = null;
  const start = await cpuOf(
    async () => {
      opened = await openCrib(config, { ...place, version: "0", workspace: folder, watch: audit.watch });
      await opened.main.settled(AbortSignal.timeout(120_000));
    },
    { rounds: 1, warmUp: 0 },
  );
  const crib = /** @type {Awaited<ReturnType<typeof openCrib>>} */ (/** @type {unknown} */ (opened));
  const { main } = crib;
  const names = main.toolset.catalog.entries.flatMap(({ id, tool }) => (tool.source === "mcp" ? [id] : []));
  if (names.length !== size * TOOLS) throw new Error(`${names.length} tools of ${size} servers`);
  let turn = 0;
  const call = async () => {
    const name = names[(turn++ * (TOOLS + 1)) % names.length] ?? "";
    const noun = name.split("_").at(-2);
    const { resultType, textResultForLlm } = await main.call(name, { [`${noun}_0`]: "a" });
    if (resultType !== "success") throw new Error(textResultForLlm);
  };
  const change = async () => {
    const updated = new Promise((resolve) => main.on("session.tools_updated", resolve));
    stubs.send(turn++ % size);
    await updated;
  };
  const times = Math.max(1, Math.round(2_000 / size / TOOLS));
  const cpu = {
    start,
    list: await cpuOf(() => toListText({ toolset: main.toolset, notices: [] }, main.toolset.placements), { times }),
    change: await cpuOf(change, { rounds: 5, warmUp: 2 }),
    call: await cpuOf(call, { rounds: 3, times: CALLS, warmUp: 1 }),
  };
  const memory = (await heldBytes()) - before;
  const rest = () => new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const idle = (await cpuOf(rest, { rounds: 1, warmUp: 0 })) / (IDLE_MS / 1_000);
  await crib.close();
  await audit.close();
  await end();
  return { cpu: { ...cpu, idle }, memory };
}
