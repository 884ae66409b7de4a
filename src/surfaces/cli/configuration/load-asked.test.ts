import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { misbehaving } from "../../../../test/support/mcp-sources.ts";
import { AS_RUN, createMachine, runCli } from "../../../../test/support/run-cli.ts";

function newHome(files: Readonly<Record<string, string>> = {}) {
  const { cwd, home } = createMachine(files);
  writeFileSync(join(home, ".claude.json"), JSON.stringify({ mcpServers: { it: misbehaving() } }));
  return (...argv: readonly string[]) => runCli(argv, { cwd, env: { HOME: home } });
}

const serversOf = (out: string): readonly string[] =>
  JSON.parse(out).servers.flatMap((row: { kind: string; name: string; state: string }) =>
    row.kind === "mcp" ? [`${row.name} ${row.state}`] : [],
  );

test("with no configuration, questions are about the servers in the home folder, as up runs them", async () => {
  const cli = newHome();
  const why = await cli("why", "it/echo");
  expect(why.status).toBe(0);
  expect(why.err.split("\n")).toEqual([
    AS_RUN.trimEnd(),
    'No toolcrib.yaml here, so these are the servers of ~/.claude.json, as in "toolcrib up".',
    "",
  ]);
  expect(serversOf((await cli("servers", "--json")).out)).toEqual(["it connected"]);
  expect(serversOf((await cli("doctor", "--json")).out)).toEqual(["it connected"]);
  const check = await cli("check", "it/echo", "--args", '{"text":"a"}');
  expect(check.out).toContain("it/echo: ask");
  expect(check.err.match(/No toolcrib.yaml here/g)).toHaveLength(1);
});

test.each([
  ["a file of the project", { "toolcrib.yaml": "excludeTools: []\n" }, []],
  ["a file of the person", { user: "excludeTools: []\n" }, []],
  ["a file that is named, whatever its name", { "my.yaml": "excludeTools: []\n" }, ["--config", "my.yaml"]],
])("%s is a configuration, and nobody else's servers are started beside it", async (_, files, flags) => {
  const { out, err } = await newHome(files)("servers", "--json", ...flags);
  expect(serversOf(out)).toEqual([]);
  expect(err).toBe("");
});

test("a local file that only turns things off leaves everybody else's servers, and turns them off", async () => {
  const off = await newHome({ "toolcrib.local.yaml": "disabledServers: [it]\n" })("servers", "--json");
  expect(serversOf(off.out)).toEqual(["it disabled"]);
  expect(off.out).toContain("Remove it from disabledServers (toolcrib.local.yaml:1)");
  const less = await newHome({ "toolcrib.local.yaml": "excludeTools: [it/echo]\n" })("servers", "--json");
  expect(serversOf(less.out)).toEqual(["it connected"]);
});

const MCP = '{\n "mcpServers": {\n  "it": { "command": "x" } } }';

test.each([["list"], ["why", "it/echo"], ["servers"], ["doctor"]])(
  "who looks for a server that only another product's file has is told which, and how to take it over: %s",
  async (...argv) => {
    const { cwd, home } = createMachine({ ".mcp.json": MCP });
    const { out, err } = await runCli(argv, { cwd, env: { HOME: home } });
    const said = `${out}${err}`.replace(/\s+/g, " ");
    expect(said).toContain("servers in other products' files of this project are not used: it (.mcp.json:3)");
    expect(said).toContain('"toolcrib init" takes them over');
  },
);

test("a file of another product that cannot be read is told with its line, of the workspace and of the person", async () => {
  const { cwd, home } = createMachine({ ".mcp.json": '{\n "mcpServers": {\n "a": nonsense: [\n' });
  writeFileSync(join(home, ".claude.json"), "[]");
  const { out } = await runCli(["list", "--json"], { cwd, env: { HOME: home } });
  const notices: readonly { readonly code: string; readonly text: string }[] = JSON.parse(out).notices;
  expect(notices.filter(({ code }) => code === "config.foreign-invalid").map(({ text }) => text)).toEqual([
    expect.stringContaining("servers of ~/.claude.json are not known: it holds no settings"),
    expect.stringContaining("servers of .mcp.json are not known: it is not valid"),
  ]);
});

test("beside a configuration of ours it is a hint of doctor's alone, and none once the server is in it", async () => {
  const ask = async (yaml: string, ...argv: readonly string[]) => {
    // What doctor says about a machine without a sandbox is another matter.
    const { cwd, home } = createMachine({ ".mcp.json": MCP, "toolcrib.yaml": yaml, user: "sandbox: { shell: off }\n" });
    return runCli(argv, { cwd, env: { HOME: home } });
  };
  const doctor = await ask("excludeTools: []\n", "doctor", "--json");
  expect(JSON.parse(doctor.out)).toMatchObject({
    ok: true,
    findings: [{ level: "info", code: "config.foreign-servers" }],
  });
  expect((await ask("excludeTools: []\n", "list")).err).toBe(AS_RUN);
  // Also while it waits for trust: then that is what is told.
  const taken = JSON.parse((await ask("mcpServers: { it: { command: x } }\n", "doctor", "--json")).out);
  expect(taken.findings.map(({ code }: { readonly code: string }) => code)).toEqual(["config.untrusted"]);
});
