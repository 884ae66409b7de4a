import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import type { OpenSession } from "../../src/runtime/session/tools/session.ts";
import type { Source } from "../../src/sources/source.ts";
import { createPeerStates } from "../../src/surfaces/gateway/servers/peer-states.ts";
import { createView } from "../../src/surfaces/gateway/views/view.ts";
import { GATEWAY_LIMITS } from "../../src/surfaces/gateway/wire/limits.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { misbehaving } from "../support/mcp-sources.ts";
import { connect } from "./clients.ts";
import { openGateway } from "./world.ts";

const ECHO = fileURLToPath(new URL("../fixtures/echo-server.cjs", import.meta.url));
const QUICK = { command: process.execPath, args: [ECHO] };
const HANGING = misbehaving("never-initialise");
const MISSING = "toolcrib/missing";

async function world(mcpServers: object, config: object = {}) {
  const clock = createFakeClock();
  const opened = await openGateway({ mcpServers, toolSearch: "off", ...config }, { gateway: { clock } });
  const comes = (name: string, state: string) =>
    vi.waitFor(() => expect(opened.crib.sources.find((one) => one.name === name)?.status.state).toBe(state), {
      timeout: 40_000,
    });
  return { ...opened, clock, comes };
}

const STARTING: Source = {
  kind: "mcp",
  name: "hanging",
  status: { state: "starting", reason: "is starting", next: null, stderr: null },
  list: async () => [],
  run: () => Promise.reject(new Error("it never started")),
  changes: () => () => {},
  close: async () => {},
};

/** A view in which one server starts for ever, whatever the time of the machine; others are there or not. */
async function viewWith(mcpServers: object) {
  const { crib } = await openGateway({ mcpServers, toolSearch: "off" });
  await crib.main.settled(AbortSignal.timeout(40_000));
  const clock = createFakeClock();
  const peers = createPeerStates(clock);
  peers.since(STARTING);
  const settled = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  const session: OpenSession = Object.create(crib.main, {
    sources: { value: [...crib.main.sources, STARTING] },
    settled: { value: settled },
  });
  const view = await createView(session, { peers, clock, limits: GATEWAY_LIMITS, onClash: () => {} });
  const waits = (what: "list" | "all") => {
    const waiting = { isOver: false, over: Promise.resolve() };
    waiting.over = view.settled(what).then(() => {
      waiting.isOver = true;
    });
    return waiting;
  };
  return { clock, waits };
}

test.each(["legacy", "modern"] as const)("a list for a %s client names the servers it lacks, and why", async (era) => {
  const { url, clock, comes } = await world({
    quick: QUICK,
    hanging: HANGING,
    broken: misbehaving("exit-at-start"),
    off: { ...QUICK, enabled: false },
  });
  await comes("quick", "connected");
  await comes("broken", "failed");
  const { client } = await connect(url, era);
  clock.advance(8_000);
  const { tools, _meta } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("quick__echo");
  expect(_meta?.[MISSING]).toEqual([
    { server: "hanging", state: expect.stringMatching(/^(starting|failed)$/), reason: expect.any(String) },
    { server: "broken", state: "failed", reason: expect.stringContaining("3") },
  ]);
});

test.each([
  ["beside others", { quick: QUICK }],
  ["alone", {}],
])(
  "a list waits eight seconds for a server that starts %s, and not for one that has taken longer",
  async (_, servers) => {
    const { clock, waits } = await viewWith(servers);
    const first = waits("list");
    clock.advance(7_999);
    expect([clock.pending, first.isOver]).toEqual([[1], false]);
    clock.advance(1);
    await first.over;
    // Nothing goes on from here, so whatever waited would wait for ever.
    await waits("list").over;
  },
);

test("a call of a tool that is not there yet waits for all servers, however long ago they started", async () => {
  const { clock, waits } = await viewWith({ quick: QUICK });
  clock.advance(60_000);
  const call = waits("all");
  clock.advance(4_999);
  expect([clock.pending, call.isOver]).toEqual([[1], false]);
  clock.advance(1);
  await call.over;
});

test("a list that waits ends once its servers have had their eight seconds", async () => {
  const { url, clock, comes } = await world({ quick: QUICK, hanging: HANGING });
  const { client } = await connect(url, "legacy");
  const list = client.listTools();
  await comes("quick", "connected");
  clock.advance(8_000);
  expect((await list).tools.map(({ name }) => name)).toContain("quick__echo");
});

test("a client that may not have a server is not told of it", async () => {
  const { url, clock, comes } = await world({ quick: QUICK, hanging: HANGING });
  await comes("quick", "connected");
  clock.advance(8_000);
  const metaAt = async (query: string) => (await (await connect(url + query, "legacy")).client.listTools())._meta;
  expect(await metaAt("?include=quick")).toBeUndefined();
  expect(await metaAt("?include=quick,hanging")).toMatchObject({ [MISSING]: [{ server: "hanging" }] });
});
