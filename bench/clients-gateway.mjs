// One gateway as `toolcrib serve --http` runs it, with a log on the disk and metrics. Arguments: JSON with the limits that
// differ, and optionally with the servers that stand behind it. In the environment it may find the address of its store. Tells its parent where it listens, and on every message how many clients it has and what it takes.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadOptions } from "../dist/config/load-options.js";
import { openAuditLog } from "../dist/runtime/audit/audit-log.js";
import { openCrib } from "../dist/runtime/crib/open-crib.js";
import { openStoreAt } from "../dist/runtime/store/open-store.js";
import { createGateway } from "../dist/surfaces/gateway/gateway.js";
import { createEventFeed } from "../dist/surfaces/http/api/event-feed.js";
import { createHttpServer } from "../dist/surfaces/http/door/http-server.js";
import { createMetrics } from "../dist/surfaces/http/metrics/metrics.js";
import { TOKEN } from "./gateway-token.mjs";

const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
const [limits = "{}", servers] = process.argv.slice(2);
const mcpServers = servers === undefined ? { everything: everything() } : JSON.parse(servers);
const place = { cwd: folder, home: folder, env: process.env };
const config = await loadOptions(
  {
    mcpServers,
    permissions: { allow: Object.keys(mcpServers).map((name) => `mcp__${name}`) },
    toolSearch: "off",
  },
  "bench",
  place,
);
// As with `toolcrib up`, sessions are rows of a store.
const storeUrl = process.env.TOOLCRIB_BENCH_STORE ?? "sqlite:";
const queries = storeUrl.startsWith("postgres:") ? (await import("./how-it-grows/count-queries.mjs")).queries : {};
const store = await openStoreAt(storeUrl, { ...place, workspace: folder });
const shared = { store, scope: "bench" };
const audit = await openAuditLog({ path: join(folder, "audit.jsonl"), onError: console.error });
// After what the log still writes then.
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.on("disconnect", () => process.exit());
const feed = createEventFeed();
const crib = await openCrib(config, {
  shared,
  ...place,
  version: "0",
  workspace: folder,
  watch(view) {
    audit.watch(view);
    feed.watch(view);
  },
});
const gateway = createGateway(crib, { version: "0", shared, limits: JSON.parse(limits) });
const metrics = createMetrics({
  servers: () => crib.sources,
  clients: () => gateway.clients.length,
  approvals: () => 0,
  personConnections: () => 0,
  limits: () => [],
  traces: () => null,
});
feed.listen(metrics.record);
await crib.main.settled(AbortSignal.timeout(30_000));
const http = await createHttpServer({
  ...{ host: "127.0.0.1", port: 0, api: null, page: null, metrics },
  access: { token: TOKEN, clients: [] },
  mcp: gateway.handleHttp,
  limits: { requestsPerSecond: 1e9, burst: 1e9 },
});
process.on("message", () => {
  const [clients, views] = [gateway.clients.length, crib.views.length];
  process.send?.({ clients, views, rss: process.memoryUsage.rss(), ...queries });
});
process.send?.({ port: Number(new URL(http.origin).port) });

function everything() {
  const script = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
  return { type: "stdio", command: process.execPath, args: [script, "stdio"] };
}
