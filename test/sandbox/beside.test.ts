import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { needs } from "../support/machine.ts";
import { runCli } from "../support/run-cli.ts";
import { makeGround, runInside, WAYS } from "../support/sandbox-harness.ts";

const ECHO = fileURLToPath(new URL("../fixtures/echo-server.cjs", import.meta.url));

/** A workspace in which a command runs, and Toolcrib beside it. */
async function besideCommand(files: Readonly<Record<string, string>> = {}) {
  const [way] = WAYS;
  if (way === undefined) throw new Error("there is a way");
  const ground = makeGround(way);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(ground.workspace, name), text);
  const stop = new AbortController();
  const running = runInside(way, ground, "touch ready; sleep 300", { signal: stop.signal });
  const end = async () => {
    stop.abort();
    await running;
  };
  onTestFinished(end);
  await vi.waitUntil(() => existsSync(join(ground.workspace, "ready")), 30_000);
  const env = { HOME: ground.home, PATH: process.env.PATH ?? "" };
  return { ...ground, end, run: (...argv: readonly string[]) => runCli(argv, { cwd: ground.workspace, env }) };
}

describe("while a command runs in the sandbox", needs("bwrap", "bash"), () => {
  test("what stands in for the lock and the settings is no reason to refuse other commands", async () => {
    const { workspace, run } = await besideCommand();
    expect(existsSync(join(workspace, "toolcrib.lock"))).toBe(true);
    for (const argv of [["list"], ["config"], ["check", "bash", "--args", '{"command":"ls"}'], ["doctor"]]) {
      const { status, err } = await run(...argv);
      expect(err).not.toContain("toolcrib.lock");
      expect(status, argv.join(" ")).toBeLessThan(3);
    }
  });

  test("a lock can be written, and stays when the command ends", async () => {
    const server = { mcpServers: { echo: { command: process.execPath, args: [ECHO] } } };
    const { workspace, end, run } = await besideCommand({ "toolcrib.json": JSON.stringify(server) });
    await run("trust", "--yes");
    expect(await run("pin")).toMatchObject({ status: 0, out: expect.stringContaining("pins 5 tools") });
    await end();
    expect(readFileSync(join(workspace, "toolcrib.lock"), "utf8")).toContain("echo");
    expect(await run("pin", "--check")).toMatchObject({ status: 0 });
  });
});
