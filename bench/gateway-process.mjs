// One gateway as `toolcrib serve` runs it, with a hook in its process besides: rules of all three kinds, a log on the
// disk, metrics. Arguments: a port or --stdio, how many copies of the server stand behind it, and a file to which, on
// SIGUSR2, the milliseconds are written that each echoed call spent in here and not in its server.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadOptions } from "../dist/config/load-options.js";
import { openAuditLog } from "../dist/runtime/audit/audit-log.js";
import { openCrib } from "../dist/runtime/crib/open-crib.js";
import { mainProfile } from "../dist/runtime/crib/profile.js";
import { openStoreAt } from "../dist/runtime/store/open-store.js";
import { createGateway } from "../dist/surfaces/gateway/gateway.js";
import { createEventFeed } from "../dist/surfaces/http/api/event-feed.js";
import { createHttpServer } from "../dist/surfaces/http/door/http-server.js";
import { createMetrics } from "../dist/surfaces/http/metrics/metrics.js";
import { TOKEN } from "./gateway-token.mjs";

const [where = "--stdio", copies = "1", insideFile] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
const everything = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
// Many copies offer the one tool that is called, so that no model's cap on tools defers any.
const tools = copies === "1" ? ["*"] : ["echo"];
const server = { type: "stdio", command: process.execPath, args: [everything, "stdio"], tools };
const names = Array.from({ length: Number(copies) }, (_, at) => (at === 0 ? "everything" : `everything${at + 1}`));
const place = { cwd: folder, home: folder, env: process.env };
const config = await loadOptions(
  {
    mcpServers: Object.fromEntries(names.map((name) => [name, server])),
    permissions: {
      allow: names.map((name) => `mcp__${name}`),
      ask: ["Write(.env)"],
      deny: ["Bash(rm:*)", "everything/sum"],
    },
    toolSearch: "off",
  },
  "bench",
  place,
);
const audit = await openAuditLog({ path: join(folder, "audit.jsonl"), onError: console.error });
const feed = createEventFeed();
// With a store the sessions of clients are kept there, as `toolcrib up` does it.
const storeUrl = process.env.TOOLCRIB_BENCH_STORE;
const store = storeUrl === undefined ? null : await openStoreAt(storeUrl, { ...place, workspace: folder });
const sharing = store === null ? {} : { shared: { store, scope: "bench" } };
const crib = await openCrib(config, {
  ...sharing,
  ...place,
  version: "0",
  workspace: folder,
  hooks: () => ({ onPreToolUse: () => undefined }),
  watch(view) {
    audit.watch(view);
    feed.watch(view);
  },
});
const gateway = createGateway(crib, { version: "0", ...sharing });
if (where === "--stdio") {
  await gateway.serveStdio({ input: process.stdin, output: process.stdout }, mainProfile("stdio"));
  await crib.close();
  process.exit();
} else {
  const metrics = createMetrics({
    servers: () => crib.sources,
    clients: () => gateway.clients.length,
    approvals: () => 0,
    personConnections: () => 0,
    limits: () => [],
    traces: () => null,
  });
  feed.listen(metrics.record);
  await createHttpServer({
    ...{ host: "127.0.0.1", port: Number(where), api: null, page: null, metrics },
    access: { token: TOKEN, clients: [] },
    mcp: insideFile === undefined ? gateway.handleHttp : timed(insideFile),
    limits: { requestsPerSecond: 1e9, burst: 1e9 },
  });
}

/**
 * Each call's message is its name, both in the event that tells how long its server took and in its answer.
 * @param {string} file
 * @returns {typeof gateway.handleHttp}
 */
function timed(file) {
  /** @type {Map<string, number>} */
  const ran = new Map();
  /** @type {number[]} */
  const inside = [];
  feed.listen((_teller, { type, data }) => {
    if (type !== "tool.execution_complete") return;
    const given = /** @type {{ message?: string } | null} */ (data.arguments);
    ran.set(given?.message ?? "", data.ran ?? 0);
  });
  process.on("SIGUSR2", () => writeFileSync(file, JSON.stringify(inside)));
  return (request, response, access) => {
    const start = performance.now();
    const end = /** @type {(body: unknown) => typeof response} */ (response.end.bind(response));
    response.end = (/** @type {unknown} */ body) => {
      const [, name = ""] = /Echo: (m\d+)/.exec(typeof body === "string" ? body : "") ?? [];
      end(body);
      if (name !== "") inside.push(performance.now() - start - (ran.get(name) ?? 0));
      return response;
    };
    return gateway.handleHttp(request, response, access);
  };
}
