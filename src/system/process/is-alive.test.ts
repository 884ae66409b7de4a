import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { isAlive } from "./is-alive.ts";

test("this process is alive, and one that has ended is not", async () => {
  const child = spawn(process.execPath, ["-e", "0"]);
  await once(child, "close");
  expect([isAlive(process.pid), isAlive(child.pid ?? 0)]).toEqual([true, false]);
});

// As in a container whose first process never asks after others.
test.runIf(process.platform === "linux")("one that has ended and that its parent never asks after is not", async () => {
  const argv = ["-c", "cat <&3 & echo $!; exec sleep 60"];
  const parent = spawn("sh", argv, { stdio: ["ignore", "pipe", "ignore", "pipe"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = await once(parent.stdout as Readable, "data"); // As it was asked for.
  const pid = Number(String(line));
  await vi.waitFor(() => expect(readFileSync(`/proc/${parent.pid}/cmdline`, "utf8")).toMatch(/^sleep/), 20_000);
  expect(isAlive(pid)).toBe(true);
  parent.stdio[3]?.destroy();
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 20_000);
  expect(() => process.kill(pid, 0)).not.toThrow();
});
