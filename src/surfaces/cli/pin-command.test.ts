import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { createMachine, runCli } from "../../../test/run-cli.ts";

/** Each of these starts servers. */
vi.setConfig({ testTimeout: 60_000 });

const ECHO = fileURLToPath(new URL("../../../test/fixtures/echo-server.mjs", import.meta.url));
const project = (name: string): string =>
  JSON.stringify({ mcpServers: { [name]: { command: process.execPath, args: [ECHO] } } });

test("a workspace that is not trusted is neither pinned nor checked: nothing would be looked at, and the lock forgotten", async () => {
  const { cwd, home, write } = createMachine({ "toolcrib.json": project("echo") });
  const run = (...argv: readonly string[]) => runCli(argv, { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } });
  const lock = join(cwd, "toolcrib.lock");
  const refused = await run("pin");
  expect(refused).toMatchObject({ status: 3, err: expect.stringContaining("server echo (toolcrib.json:1)") });
  expect(existsSync(lock)).toBe(false);

  await run("trust", "--yes");
  expect(await run("pin", "--check")).toMatchObject({
    status: 1,
    err: expect.stringContaining("there is no toolcrib.lock"),
  });
  const first = await run("pin");
  expect(first.out).toContain("toolcrib.lock pins 5 tools of 1 server.\nFrom now on only what is in it may be used");
  expect((await run("pin", "--check")).status).toBe(0);
  expect((await run("pin", "--approve", "echo/none", "--yes")).status).toBe(1);
  const pinned = readFileSync(lock, "utf8");

  write("toolcrib.json", project("other"));
  for (const argv of [
    ["pin", "--yes"],
    ["pin", "--check"],
    ["pin", "--approve", "echo/echo", "--yes"],
  ]) {
    const { status, out } = await run(...argv, "--json");
    expect([status, JSON.parse(out).error.code]).toEqual([3, "pin.untrusted"]);
  }
  expect(readFileSync(lock, "utf8")).toBe(pinned);
});

test("a lock that somebody changed by hand is told from a tool that changed", async () => {
  const { cwd, home, write } = createMachine({ user: project("echo") });
  const run = (...argv: readonly string[]) => runCli(argv, { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } });
  await run("pin");
  const lock = JSON.parse(readFileSync(join(cwd, "toolcrib.lock"), "utf8"));
  lock.tools["echo/echo"].signature = "0".repeat(64);
  write("toolcrib.lock", JSON.stringify(lock, null, 2));
  expect(await run("pin", "--check")).toMatchObject({
    status: 1,
    out: expect.stringContaining(
      "echo/echo changed since it was pinned\n  Its text, schemas and claims read as they did, and the signature in the lock is another one",
    ),
  });
});

test("what is approved at the same time stays approved, whoever is first", async () => {
  const { cwd, home, write } = createMachine({ user: project("echo") });
  const run = (...argv: readonly string[]) => runCli(argv, { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } });
  await run("pin");
  const lock = JSON.parse(readFileSync(join(cwd, "toolcrib.lock"), "utf8"));
  const [first = "", second = ""] = Object.keys(lock.tools);
  for (const name of [first, second]) lock.tools[name].signature = "0".repeat(64);
  write("toolcrib.lock", JSON.stringify(lock, null, 2));
  const done = await Promise.all([first, second].map((name) => run("pin", "--approve", name, "--yes")));
  expect(done.map(({ status }) => status)).toEqual([0, 0]);
  expect((await run("pin", "--check")).out).toBe("Everything is as it was pinned.\n");
});
