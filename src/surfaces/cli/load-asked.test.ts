import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { misbehaving } from "../../../test/mcp-sources.ts";
import { createMachine, runCli } from "../../../test/run-cli.ts";

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
  expect(why.err).toBe("No configuration here, so the servers of ~/.claude.json, as up takes them.\n");
  expect(serversOf((await cli("servers", "--json")).out)).toEqual(["it connected"]);
  expect(serversOf((await cli("doctor", "--json")).out)).toEqual(["it connected"]);
  const check = await cli("check", "it/echo", "--args", '{"text":"a"}');
  expect(check.out).toContain("it__echo: ask");
  expect(check.err.match(/No configuration here/g)).toHaveLength(1);
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
