import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const PROJECT = `mcpServers: { one: { command: node }, two: { command: node } }
permissions: { allow: [view], deny: ["Bash(rm:*)"] }
hooks: { preToolUse: [{ command: "true" }] }
`;

async function trusted(project = PROJECT) {
  const machine = createMachine({ "toolcrib.yaml": project });
  const cli = (argv: readonly string[], options: { readonly types?: string; readonly cwd?: string } = {}) =>
    runCli(argv, { cwd: machine.cwd, env: { HOME: machine.home }, ...options });
  expect((await cli(["trust", "--yes"])).status).toBe(0);
  return { ...machine, cli };
}

describe("toolcrib trust --list", () => {
  test("shows every workspace and what is trusted in it", async () => {
    const { cwd, home, cli } = await trusted();
    const other = createMachine({ "toolcrib.yaml": "mcpServers: { far: { command: node } }" });
    await runCli(["trust", "--yes"], { cwd: other.cwd, env: { HOME: home } });
    rmSync(other.cwd, { recursive: true });
    const { status, out } = await cli(["trust", "--list"], { cwd: home });
    expect(status).toBe(0);
    expect(out).toContain(`${cwd}\n`);
    for (const line of ["server: one", "server: two", "allow rule: view"]) expect(out).toContain(`  ${line}\n`);
    for (const line of ["deny rule: Bash(rm:*)", "hook: true"])
      expect(out).toContain(`  ${line}  [its calls are denied if it goes]\n`);
    expect(out).toContain(`${other.cwd} (no such folder)\n  server: far\n`);
  });

  test("as JSON, and with nothing trusted", async () => {
    const { cwd, cli } = await trusted();
    const { workspaces } = JSON.parse((await cli(["trust", "--list", "--json"])).out);
    expect(workspaces).toMatchObject([{ workspace: cwd, trusted: expect.any(Array) }]);
    expect(workspaces[0].trusted).toContainEqual(
      expect.objectContaining({ what: "server", name: "one", path: "mcpServers.one", guard: false }),
    );
    const fresh = createMachine();
    expect((await runCli(["trust", "--list"], { cwd: fresh.cwd, env: { HOME: fresh.home } })).out).toBe(
      "No workspace is trusted.\n",
    );
  });
});

describe("toolcrib trust --remove", () => {
  test("takes everything back after a question, as if it had never been given", async () => {
    const { cwd, cli } = await trusted();
    expect((await cli(["trust", "--remove"], { types: "n" })).status).toBe(1);
    expect((await cli(["trust", "--list"])).out).toContain("server: one");
    expect(await cli(["trust", "--remove"])).toMatchObject({ status: 2, err: expect.stringContaining("--yes") });
    const { status, out } = await cli(["trust", "--remove"], { types: "y" });
    expect(status).toBe(0);
    expect(out).toContain(`${cwd}\n  allow rule: view\n`);
    expect((await cli(["trust", "--list"])).out).toBe("No workspace is trusted.\n");
    expect((await cli(["trust"])).out).toContain(`${cwd} is not trusted and asks for`);
    expect(await cli(["trust", "--remove", "--yes"])).toMatchObject({
      status: 1,
      out: `Nothing is trusted in ${cwd}.\n`,
    });
  });

  test("with --only takes back what it names, by name or by kind and name", async () => {
    const { cli } = await trusted();
    await cli(["trust", "--remove", "--only", "one", "--only", "allow rule view", "--yes"]);
    const { out } = await cli(["trust"]);
    expect(out).toContain("server: one (toolcrib.yaml:1)  [new]");
    expect(out).toContain("server: two (toolcrib.yaml:1)\n");
    expect(out).toContain("allow rule: view (toolcrib.yaml:2)  [new]");
    expect(await cli(["trust", "--remove", "--only", "thre", "--yes"])).toMatchObject({
      status: 2,
      err: expect.stringContaining(
        '--only "thre" names nothing that is trusted there; these are: hook true, server two',
      ),
    });
  });

  test("lets a guard be missed no longer only where it is removed too", async () => {
    const { cli, write } = await trusted();
    write("toolcrib.yaml", PROJECT.replace('deny: ["Bash(rm:*)"]', "deny: []"));
    const check = async () => (await cli(["check", "bash", "rm x"])).out;
    await cli(["trust", "--remove", "--only", "one", "--yes"]);
    expect(await check()).toMatch(/^bash: deny/);
    await cli(["trust", "--remove", "--only", "Bash(rm:*)", "--yes"]);
    expect(await check()).not.toMatch(/^bash: deny/);
  });

  test("works beside a broken file and for a folder that is gone", async () => {
    const { cwd, home, cli, write } = await trusted();
    write("toolcrib.yaml", "mcpServers: [");
    expect((await cli(["trust", "--remove", "--only", "one", "--yes"])).status).toBe(0);
    rmSync(cwd, { recursive: true });
    expect((await cli(["trust", "--remove", cwd, "--yes"], { cwd: home })).status).toBe(0);
    expect((await cli(["trust", "--list"], { cwd: home })).out).toBe("No workspace is trusted.\n");
  });

  test("means the workspace around a folder", async () => {
    const { cwd, cli, write } = await trusted();
    write("deep/down/x.txt", "");
    expect((await cli(["trust", "--remove", "--yes"], { cwd: join(cwd, "deep", "down") })).status).toBe(0);
    expect((await cli(["trust", "--list"])).out).toBe("No workspace is trusted.\n");
  });

  test.each([
    [["--list", "--remove"], "do not go together"],
    [["--list", "."], "takes no folder"],
    [["--list", "--only", "one"], "--only goes with --remove"],
  ])("%j is refused", async (options, why) => {
    const { cli } = await trusted();
    expect(await cli(["trust", ...options])).toMatchObject({ status: 2, err: expect.stringContaining(why) });
  });
});

test("trust says that a file is broken before its guards go", async () => {
  const { cwd, home, write } = createMachine({
    ".claude/settings.json": JSON.stringify({ permissions: { deny: ["Bash(rm:*)"] } }),
  });
  const cli = (...argv: string[]) => runCli(argv, { cwd, env: { HOME: home } });
  await cli("trust", "--yes");
  write(".claude/settings.json", "{ broken");
  const asked = await runCli(["trust"], { cwd, env: { HOME: home }, types: "n" });
  expect(asked.err).toMatch(/\.claude\/settings\.json cannot be read[\s\S]*Trust this workspace/);
  const { err, out } = await cli("trust", "--yes", "--json");
  expect(err).toContain(".claude/settings.json cannot be read");
  expect(JSON.parse(out).notices).toMatchObject([{ code: "hook.invalid" }]);
});
