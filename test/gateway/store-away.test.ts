import { describe, expect, onTestFinished, test } from "vitest";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { openPostgres } from "../../src/runtime/store/postgres/open-postgres.ts";
import { startCuttingProxy } from "../support/cutting-proxy.ts";
import { needs } from "../support/machine.ts";
import { curious } from "../support/mcp-sources.ts";
import { createDatabase } from "../support/postgres-database.ts";
import { createWanderer } from "./machines.ts";
import { openGateway } from "./world.ts";

const CONFIG = {
  mcpServers: { c: curious() },
  permissions: { allow: ["c/*"], ask: ["c/echo"] },
  gateway: { approvals: "inspector" },
  toolSearch: "off",
};
const REFUSED = {
  code: -32_000,
  data: { code: "store.unavailable" },
  message: expect.stringContaining("store.unavailable"),
};

/** A gateway whose database can be taken away. */
async function startGateway() {
  const database = new URL(await createDatabase());
  const proxy = await startCuttingProxy(Number(database.port));
  onTestFinished(() => proxy.close());
  database.port = String(proxy.port);
  const store = createStore(await openPostgres(database.href));
  onTestFinished(() => store.close());
  const shared = { store, scope: "test" };
  return { proxy, ...(await openGateway(CONFIG, { crib: { shared }, gateway: { shared } })) };
}

/** The whole answer to one message, with its status. */
async function post(url: string, headers: object, message: object) {
  const response = await fetch(url, {
    method: "POST",
    headers: { ...createWanderer().headers(), ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  });
  const text = await response.text();
  return { status: response.status, text };
}

const toModern = (name: string) => ({
  headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name },
  message: {
    method: "tools/call",
    params: {
      ...{ name, arguments: { text: "x" } },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "w", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  },
});

describe("with the database away", needs("postgres"), () => {
  test("whatever needs it is refused with 503 and store.unavailable, nobody hears where it is, and the rest goes on (S11)", async () => {
    const { proxy, url, crib } = await startGateway();
    const client = createWanderer();
    await client.initialize(url, { elicitation: { form: {} }, sampling: {} });
    const call = (name: string) => ({ method: "tools/call", params: { name, arguments: { text: "x" } } });
    await client.request(url, "tools/list");
    await proxy.close();

    const modern = toModern("c__echo");
    const refusals = {
      "a new session": await post(url, {}, { method: "initialize", params: { capabilities: {} } }),
      "a session of another machine": await post(url, { "mcp-session-id": "f".repeat(32) }, { method: "ping" }),
      "an approval": await post(url, client.headers(), call("c__echo")),
      "an approval of the newer protocol": await post(url, modern.headers, modern.message),
      "a question to the client": await post(url, client.headers(), call("c__ask")),
      "a stream to go on with": await client
        .open(url, "00000000-0000-0000-0000-000000000000_1")
        .then(async (response) => ({ status: response.status, text: await response.text() })),
    };
    for (const [what, { status, text }] of Object.entries(refusals)) {
      expect(`${what}: ${status}`).toBe(`${what}: 503`);
      expect(JSON.parse(text).error, what).toEqual(REFUSED);
      expect(text).not.toMatch(/ECONN|127\.0\.0\.1|postgres/i);
    }
    expect(crib.approvals.pending).toEqual([]);
    const going = await post(url, client.headers(), { method: "ping" });
    expect(going).toMatchObject({ status: 200 });
  });
});
