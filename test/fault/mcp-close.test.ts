import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import { createFakeClock } from "../support/fake-clock.ts";
import { listen, sessionAnswer, statelessAnswer } from "../support/loopback-mcp.ts";
import { call, happens, misbehaving, openSource, reaches, runContext, toolOf } from "../support/mcp-sources.ts";
import { rounds } from "../support/rounds.ts";

/** Processes start slowly on a busy machine. */
/** A server that starts in a twentieth of the time that Node takes. */
const PLAIN = fileURLToPath(new URL("../fixtures/plain-server.sh", import.meta.url));

/** What a source could leave behind in this process. Vitest's own handles are there before and after. */
const OURS = ["ProcessWrap", "PipeWrap", "TCPSocketWrap", "TLSWrap", "Timeout", "Immediate"];

function handles(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => OURS.includes(kind));
}

/** What is there now and was not before. Vitest may have given up a timer of its own meanwhile. */
function added(before: readonly string[]): string[] {
  const known = [...before];
  return handles().filter((kind) => {
    const at = known.indexOf(kind);
    if (at !== -1) known.splice(at, 1);
    return at === -1;
  });
}

/** Whether a process runs; one that has ended and waits to be reaped does not. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

async function pidsOf(source: ReturnType<typeof openSource>): Promise<number[]> {
  return JSON.parse((await call(source, "pids")).textResultForLlm);
}

/** Elsewhere nobody can tell whose such a process is. */
const STRAY: [string, string[]][] = [
  ["one with a stubborn process that left its group and lost its parent", ["stray"]],
];

test.runIf(process.platform === "linux")(
  "a server that ends or is started again leaves no process behind",
  async () => {
    const source = openSource(misbehaving("stray"));
    const first = await pidsOf(source);
    await source.restart();
    const second = await pidsOf(source);
    expect(first.filter(isAlive)).toEqual([]);
    expect(second.every(isAlive)).toBe(true);
    process.kill(second[0] ?? 0, "SIGKILL");
    await happens(source, () => source.status.state !== "connected");
    const third = await pidsOf(source);
    expect(third).not.toContain(second[0]);
    await vi.waitFor(() => expect(second.filter(isAlive)).toEqual([]), 30_000);
    expect(third.every(isAlive)).toBe(true);
  },
);

describe("after close there is no process, handle or timer", () => {
  test.each([
    ["an ordinary server", []],
    ["one that ignores SIGTERM", ["ignore-sigterm"]],
    ["one with a stubborn grandchild", ["grandchild"]],
    ...(process.platform === "linux" ? STRAY : []),
    ["one of the newer protocol", ["modern"]],
  ])("%s", async (_, orders) => {
    const before = handles();
    const clock = createFakeClock();
    const source = openSource(misbehaving(...orders), { clock });
    const pids = await pidsOf(source);
    expect(pids.every(isAlive)).toBe(true);
    const hang = source.run(await toolOf(source, "hang"), {}, runContext()).catch((error: unknown) => error);
    await Promise.all([source.close(), source.close()]);
    expect(await hang).toMatchObject({ code: "mcp.disconnected" });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(clock.pending).toEqual([]);
    await settle();
    expect(added(before)).toEqual([]);
  });

  test("one that never started, one that waits for its next try, and one that was cut", async () => {
    const before = handles();
    const clock = createFakeClock();
    const mute = openSource(misbehaving("never-initialise", "ignore-sigterm"), { clock });
    const broken = openSource(misbehaving("exit-at-start"), { clock });
    const flooder = openSource(misbehaving(), { clock });
    await reaches(broken, "failed");
    await expect(call(flooder, "flood", { count: 100_000 })).rejects.toMatchObject({ code: "mcp.disconnected" });
    await Promise.all([mute.close(), broken.close(), flooder.close()]);
    expect(clock.pending).toEqual([]);
    await settle();
    expect(added(before)).toEqual([]);
  });

  test.each([
    ["2025-11-25", () => sessionAnswer()],
    ["2026-07-28", () => statelessAnswer().answer],
  ])("a remote server of %s", async (_, answer) => {
    const { url } = await listen(answer());
    const before = handles();
    const clock = createFakeClock();
    const source = openSource({ url }, { clock });
    await call(source, "echo", { text: "x" });
    const hang = source.run(await toolOf(source, "hang"), {}, runContext()).catch((error: unknown) => error);
    await source.close();
    expect(await hang).toMatchObject({ code: "mcp.disconnected" });
    expect(clock.pending).toEqual([]);
    await settle();
    expect(added(before)).toEqual([]);
  });

  test("a closed source starts nothing, lists what it knew and refuses calls", async () => {
    const source = openSource(misbehaving());
    const echo = await toolOf(source, "echo");
    await source.close();
    await source.restart();
    expect(source.status.state).toBe("disabled");
    expect(await source.list(new AbortController().signal)).toContain(echo);
    await expect(source.run(echo, { text: "x" }, runContext())).rejects.toMatchObject({ code: "mcp.unavailable" });
  });
});

test("rounds of 20 at a time, with servers that ignore SIGTERM, leave nothing behind", {
  timeout: 180_000,
}, async () => {
  const before = handles();
  const pids: number[] = [];
  const times = rounds(10, 2);
  for (let round = 0; round < times; round++) {
    const server = { command: "/bin/sh", args: [PLAIN] };
    const sources = Array.from({ length: 20 }, () => openSource(server, { limits: { grace: 20 } }));
    for (const found of await Promise.all(sources.map(pidsOf))) pids.push(...found);
    await Promise.all(sources.map((source) => source.close()));
  }
  expect(new Set(pids).size).toBe(times * 20);
  expect(pids.filter(isAlive)).toEqual([]);
  expect(childrenOfThisProcess()).toEqual([]);
  await settle();
  expect(added(before)).toEqual([]);
});

/** Children that run the plain server. */
function childrenOfThisProcess(): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const [, parent] = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      return Number(parent) === process.pid && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(PLAIN);
    } catch {
      return false;
    }
  });
}

/** Handles are given back a few turns after their streams have closed. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
