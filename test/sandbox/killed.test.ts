import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { ensureBuilt, startCli } from "../support/built-cli.ts";
import { needs } from "../support/machine.ts";
import { newMachine } from "../support/running-up.ts";
import { makeGround, runInside, WAYS } from "../support/sandbox-harness.ts";

/** Takes no hint to end, and says that it runs. */
const STUBBORN = "trap '' HUP INT TERM; touch stubborn; sleep 300";
/** One of the stand-ins that are there while a command runs. */
const STAND_IN = ".bashrc";

describe("a command that has to be killed leaves no stand-in in the workspace", needs("bwrap", "bash"), () => {
  test.each(WAYS)("when it is stopped: $name", async (way) => {
    const ground = makeGround(way);
    const stop = new AbortController();
    const running = runInside(way, ground, STUBBORN, { signal: stop.signal });
    await vi.waitUntil(() => existsSync(join(ground.workspace, "stubborn")), 60_000);
    expect(existsSync(join(ground.workspace, STAND_IN))).toBe(true);
    stop.abort();
    expect((await running).left).toEqual([]);
    expect(readdirSync(ground.workspace).sort()).toEqual(["own.txt", "stubborn"]);
  });

  test("unless another command needs it, which takes it away then", async () => {
    const [way] = WAYS;
    if (way === undefined) throw new Error("there is a way");
    const ground = makeGround(way);
    const stops = [new AbortController(), new AbortController()] as const;
    const isThere = (name: string) => existsSync(join(ground.workspace, name));
    const first = runInside(way, ground, STUBBORN, { signal: stops[0].signal });
    await vi.waitUntil(() => isThere("stubborn"), 60_000);
    const second = runInside(way, ground, "touch started; sleep 300", { signal: stops[1].signal });
    await vi.waitUntil(() => isThere("started"), 60_000);
    stops[0].abort();
    await first;
    expect(isThere(STAND_IN)).toBe(true);
    stops[1].abort();
    await second;
    expect(readdirSync(ground.workspace).sort()).toEqual(["own.txt", "started", "stubborn"]);
  });

  describe("when Toolcrib is told twice to end", () => {
    beforeAll(ensureBuilt, 120_000);

    test("and does not wait for it", async () => {
      const { cwd, env } = newMachine({ "own.txt": "own" });
      const args = JSON.stringify({ command: STUBBORN });
      const child = startCli(["call", "bash", "--yes", "--args", args], { cwd, env });
      const ended = once(child, "close");
      onTestFinished(() => void child.kill("SIGKILL"));
      await vi.waitUntil(() => existsSync(join(cwd, "stubborn")), 60_000);
      expect(existsSync(join(cwd, STAND_IN))).toBe(true);
      child.kill("SIGINT");
      child.kill("SIGTERM");
      await ended;
      const left = () => readdirSync(cwd).sort();
      await expect.poll(left, { timeout: 30_000 }).toEqual([".git", "own.txt", "stubborn"]);
    });
  });
});
