import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { misbehaving } from "../../../../test/support/mcp-sources.ts";
import { AS_RUN, createMachine, runCli } from "../../../../test/support/run-cli.ts";

/** A person's own configuration needs no trust. */
function createSlow() {
  const { cwd, home } = createMachine({
    user: JSON.stringify({ mcpServers: { slow: misbehaving("never-initialise") } }),
  });
  return { cwd, env: { PATH: process.env.PATH ?? "", HOME: home, XDG_CONFIG_HOME: "" } };
}

test("after a second a terminal is told who keeps it waiting, on a line that vanishes", async () => {
  const { status, out, err } = await runCli(["list", "--timeout", "1.6"], { ...createSlow(), errIsTTY: true });
  expect(status).toBe(0);
  expect(out).toContain("view");
  expect(err).toMatch(/\rwaiting for slow \(\d s\)/);
  expect(err).toContain("\r\u001b[Ktoolcrib: warning: server");
});

test("nothing but notices goes to a stderr that is no terminal", async () => {
  const { err } = await runCli(["list", "--timeout", "1.4"], createSlow());
  expect(err).toMatch(/^As "toolcrib run"[^\n]*\ntoolcrib: warning: server "slow" is still starting[^\n]*\n$/);
});

test.each(["0", "-1", "x", "1e9", "99999"])("--timeout %s is wrong usage", async (timeout) => {
  expect(await runCli(["list", `--timeout=${timeout}`], createSlow())).toMatchObject({ status: 2, out: "" });
});

test("a filter that names a server which did not come waits for it instead of failing", async () => {
  const { status, err } = await runCli(["list", "--include", "slow", "--timeout", "0.3"], createSlow());
  expect(status).toBe(0);
  expect(err).toContain('names "slow"');
});

test("a filter that leaves nothing fails as it does without servers", async () => {
  for (const start of [[], ["--no-start"]]) {
    const ended = await runCli(["list", "--include", "nothing", "--timeout", "0.3", ...start], createSlow());
    expect(ended).toMatchObject({ status: 3, err: expect.stringContaining("leaves no tool") });
  }
});

test("what this machine offers is known without starting a server: built-in tools stand as they do with all started", async () => {
  const { cwd, home } = createMachine({ "toolcrib.yaml": "features: { memory: true }\n" });
  const standings = async (...argv: readonly string[]) => {
    const { out } = await runCli(["list", "--json", ...argv], {
      cwd,
      env: { HOME: home, PATH: process.env.PATH ?? "" },
    });
    const { tools }: { tools: readonly { name: string; standing: string; trace: unknown }[] } = JSON.parse(out);
    return tools.map(({ name, standing, trace }) => ({ name, standing, trace }));
  };
  const live = await standings();
  expect(live.map(({ name }) => name)).toEqual(expect.arrayContaining(["bash", "store_memory"]));
  expect(await standings("--no-start")).toEqual(live);
});

test("servers that do not start in time are one line, and their last lists stand in for them", async () => {
  const { cwd, home } = createMachine({});
  const env = { PATH: process.env.PATH ?? "", HOME: home, XDG_CONFIG_HOME: "" };
  const echo = fileURLToPath(new URL("../../../../test/fixtures/echo-server.cjs", import.meta.url));
  const command = {
    command: "sh",
    args: ["-c", `test ! -e busy || exec sleep 60; exec "$0" "$1"`, process.execPath, echo],
  };
  writeFileSync(join(cwd, "own.json"), JSON.stringify({ mcpServers: { one: command, two: command, three: command } }));
  const list = (...argv: readonly string[]) => runCli(["list", "--config", "own.json", ...argv], { cwd, env });
  const before = await list("--timeout", "60");
  expect(before).toMatchObject({ status: 0, err: AS_RUN, out: expect.stringContaining("three/") });
  writeFileSync(join(cwd, "busy"), "");
  const { out, err } = await list("--timeout", "0.2");
  expect(out).toBe(before.out);
  expect(err).toBe(
    `${AS_RUN}toolcrib: warning: servers "one", "two", "three": still starting; the last list is shown meanwhile. To wait longer: --timeout SECONDS\n`,
  );
});
