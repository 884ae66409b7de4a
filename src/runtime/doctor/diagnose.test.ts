import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createMachine, runCli } from "../../../test/support/run-cli.ts";

test("names of tools of a server that waits for trust are not called wrong", async () => {
  const { cwd, home } = createMachine({
    "toolcrib.yaml": `mcpServers: { weather: { command: node } }
permissions: { deny: ["weather/*", "mcp__weather__rain", "wether/*"], ask: [weather__sun] }
excludeTools: [weather, weathers]
`,
  });
  const { status, out } = await runCli(["doctor", "--json"], { cwd, env: { HOME: home } });
  expect(status).toBe(1);
  const findings: { code: string; names: string[] }[] = JSON.parse(out).findings;
  expect(findings.filter(({ code }) => code === "config.untrusted")).toHaveLength(1);
  const unknown = findings.filter(({ code }) => code === "filter.unknown-name").flatMap(({ names }) => names);
  expect(unknown.sort()).toEqual(["weathers", "wether/*"]);
});

test("the list of a server that cannot be started is not called useless", async () => {
  const { cwd, home } = createMachine({
    "toolcrib.yaml":
      'mcpServers: { gone: { command: no-such-program, tools: ["*"] } }\nexcludeTools: [view, builtin:view]\n',
  });
  await runCli(["trust", "--yes"], { cwd, env: { HOME: home } });
  const { out } = await runCli(["doctor", "--json"], { cwd, env: { HOME: home } });
  const findings: { code: string; names: string[] }[] = JSON.parse(out).findings;
  expect(findings.map(({ code }) => code)).toContain("server.failed");
  expect(findings.filter(({ code }) => code === "filter.dead").flatMap(({ names }) => names)).toEqual([
    "view",
    "builtin:view",
  ]);
});

test("a group that nothing declares is told, with the one that was probably meant", async () => {
  const { cwd, home } = createMachine({
    user: `mcpServers: { db: { command: x, enabled: false, group: "db:read" } }
toolOverrides: { view: { group: files } }
tools: [{ name: t, group: docs, use: "./gone.js:t" }]
toolGroups: [files, docs, "db:raed", "db:read"]
agents: [{ name: a, toolGroups: [web] }]
`,
  });
  const { out } = await runCli(["doctor", "--json"], { cwd, env: { HOME: home } });
  const findings: { code: string; text: string }[] = JSON.parse(out).findings;
  expect(findings.filter(({ code }) => code === "group.unknown").map(({ text }) => text)).toEqual([
    'toolGroups names the group "db:raed", which no tool and no server declares; did you mean "db:read"?',
    'toolGroups of agent "a" names the group "web", which no tool and no server declares',
  ]);
});

test("while something waits for trust, nobody can know which groups there are", async () => {
  const { cwd, home } = createMachine({
    "toolcrib.yaml": "mcpServers: { db: { command: x, group: db } }\ntoolGroups: [db]\n",
  });
  const { out } = await runCli(["doctor", "--json"], { cwd, env: { HOME: home } });
  expect(out).not.toContain("group.unknown");
});

test("tools of servers without a lock are worth a word, until somebody pins them", async () => {
  const server = fileURLToPath(new URL("../../../test/fixtures/misbehaving-server.cjs", import.meta.url));
  const { cwd, home } = createMachine({
    user: JSON.stringify({ mcpServers: { it: { command: process.execPath, args: [server] } } }),
  });
  const cli = (...argv: string[]) => runCli(argv, { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } });
  const found = async () => {
    const { findings }: { findings: { code: string; level: string; text: string }[] } = JSON.parse(
      (await cli("doctor", "--json")).out,
    );
    return findings.filter(({ code }) => code === "trust.no-lock");
  };
  expect(await found()).toMatchObject([{ level: "info", text: expect.stringMatching(/nothing is pinned: .* of it /) }]);
  await cli("pin", "--yes");
  expect(await found()).toEqual([]);
});
