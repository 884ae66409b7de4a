import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { mainProfile } from "../../src/runtime/crib/profile.ts";
import { createFronts, type FrontsOptions } from "../../src/surfaces/gateway/fronts/fronts.ts";
import { GATEWAY_LIMITS } from "../../src/surfaces/gateway/wire/limits.ts";
import { GIVES_IN_STEPS, giveMemoryBack } from "../../src/system/give-memory-back.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { openGateway } from "./world.ts";

const [ECHO, CROWD] = ["echo-server.cjs", "crowd.mjs"].map((name) =>
  fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url)),
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("clients whose process is killed leave no session and no process of their own after the idle time", async () => {
  const clock = createFakeClock();
  const { url, crib, gateway } = await openGateway(
    {
      mcpServers: { it: { command: process.execPath, args: [ECHO], isolation: "client" } },
      includeTools: ["it"],
      permissions: { allow: ["it/*"] },
    },
    { gateway: { clock, limits: { idle: 60_000 } } },
  );
  const sources = crib.sources.length;
  const crowd = spawn(process.execPath, [CROWD ?? "", url, "6"], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void crowd.kill("SIGKILL"));
  const pids = await new Promise<readonly number[]>((resolve) => {
    createInterface({ input: crowd.stdout }).once("line", (line) => resolve(JSON.parse(line)));
  });
  expect(new Set(pids).size).toBe(6);
  expect(pids.every(isAlive)).toBe(true);
  clock.advance(600_000);
  expect(gateway.clients).toHaveLength(6);
  crowd.kill("SIGKILL");
  await vi.waitFor(
    () => {
      // Silence counts from when their streams broke, which takes the machine a moment to tell.
      clock.advance(60_000);
      expect([gateway.clients, crib.views]).toEqual([[], []]);
    },
    { timeout: 60_000 },
  );
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 30_000 });
  expect(crib.sources).toHaveLength(sources);
  expect(clock.pending).toEqual([]);
});

test("where there is no room for another client, the one that was silent longest goes, its own kind first", async () => {
  const clock = createFakeClock();
  const { url, gateway } = await openGateway(
    {},
    { gateway: { clock, limits: { sessions: 3 } }, profileOf: (token) => mainProfile(token ?? "nobody") },
  );
  const initialize = async (token: string): Promise<number> => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: token, version: "1" } };
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    });
    await answer.text();
    return answer.status;
  };
  const labels = () => gateway.clients.map(({ label }) => label);
  for (const token of ["quiet", "busy", "busy"]) expect(await initialize(token)).toBe(200);
  expect(await initialize("busy")).toBe(503);
  clock.advance(60_000);
  expect(await initialize("busy")).toBe(200);
  expect(await initialize("busy")).toBe(200);
  // Who has more than another one does not put it out.
  expect(await initialize("busy")).toBe(503);
  expect(labels()).toEqual(["quiet", "busy", "busy"]);
  expect(await initialize("another")).toBe(200);
  expect(labels()).toEqual(["busy", "busy", "another"]);
  expect(await initialize("another")).toBe(503);
});

/** Fronts whose clients come and go, and call nothing. */
async function openFronts() {
  const { crib } = await openGateway({});
  const giveBack = vi.fn();
  const clock = createFakeClock();
  const ports: Partial<FrontsOptions> = { crib, clock, giveBack };
  const limits = GATEWAY_LIMITS;
  const server = { name: "it", title: "It", version: "1" };
  const fronts = createFronts({
    ...ports,
    limits,
    server,
    onClash: () => {},
    unknownNames: { watch: async () => {} },
  } as FrontsOptions);
  onTestFinished(() => fronts.close());
  const open = () =>
    fronts.openLegacy({ profile: mainProfile(), label: "one", version: "2025-11-25", capabilities: {} });
  return { fronts, open, giveBack, clock };
}

test("memory is given back once many clients are gone, and not while somebody waits for an answer", async () => {
  const { fronts, open, giveBack } = await openFronts();
  const leave = async (many: number) => {
    const all = await Promise.all(Array.from({ length: many }, open));
    await Promise.all(all.map((kept) => fronts.end(kept)));
  };
  await leave(63);
  expect(giveBack).not.toHaveBeenCalled();
  const busy = await open();
  Object.defineProperty(busy.front, "isBusy", { value: true });
  await leave(1);
  expect(giveBack).not.toHaveBeenCalled();
  await fronts.end(busy);
  expect(giveBack).toHaveBeenCalledTimes(1);
  await leave(1);
  expect(giveBack).toHaveBeenCalledTimes(1);
});

test.runIf(GIVES_IN_STEPS)(
  "memory is given back after thousands of requests, once there are none for a moment",
  async () => {
    const { fronts, open, giveBack, clock } = await openFronts();
    const client = await open();
    const ask = (times: number) => {
      for (let left = times; left > 0; left--) fronts.touch(client);
    };
    ask(4_000);
    clock.advance(10_000);
    expect(giveBack).not.toHaveBeenCalled();
    ask(1_000);
    for (let seconds = 10; seconds > 0; seconds--) {
      clock.advance(1_000);
      ask(1);
    }
    expect(giveBack).not.toHaveBeenCalled();
    clock.advance(2_000);
    clock.advance(2_000);
    expect(giveBack).toHaveBeenCalledTimes(1);
    ask(1_000);
    clock.advance(10_000);
    expect(giveBack).toHaveBeenCalledTimes(1);
  },
);

test("what is given back is what nobody holds any more", () => {
  const dropped = new WeakRef(Array.from({ length: 1_000 }, (_, at) => ({ at })));
  const held = new WeakRef(Array.from({ length: 1_000 }, (_, at) => ({ at })));
  const holder = held.deref();
  return new Promise<void>((resolve) => {
    // What was looked at stays until the next turn.
    setImmediate(() => {
      giveMemoryBack();
      expect(dropped.deref()).toBeUndefined();
      expect(held.deref()).toBe(holder);
      expect(Reflect.has(globalThis, "gc")).toBe(false);
      resolve();
    });
  });
});
