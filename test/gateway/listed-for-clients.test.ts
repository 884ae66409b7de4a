import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { describeClient } from "../../src/core/scene/client.ts";
import { connect } from "./clients.ts";
import { openGateway } from "./world.ts";

const SERVER = fileURLToPath(new URL("../fixtures/many-tools-server.cjs", import.meta.url));
const server = (prefix: string, tools: number) => ({
  command: process.execPath,
  args: [SERVER, `prefix=${prefix}`, `tools=${tools}`],
});

/** Five servers with 66 tools, as somebody may have them. */
const FIVE = {
  github: server("repo", 26),
  files: server("file", 14),
  memory: server("node", 9),
  tickets: server("issue", 10),
  calendar: server("event", 7),
};

const ofServers = (names: readonly string[]) => names.filter((name) => name.includes("__"));

describe("66 tools of five servers, with no configuration of ours", () => {
  test.each([
    ["claude-code", "legacy"],
    ["Visual Studio Code", "legacy"],
    ["cursor-vscode", "legacy"],
    ["nobody-knows", "legacy"],
    ["claude-code", "modern"],
  ] as const)("are all listed for %s (%s)", async (name, era) => {
    const { url, crib } = await openGateway({ mcpServers: FIVE, builtins: undefined });
    await crib.main.settled(AbortSignal.timeout(60_000));
    const { client } = await connect(url, era, { name });
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    expect(names).toHaveLength(66);
    expect(ofServers(names)).toEqual(names);
  });
});

test("what a client is known for decides, and the configuration has the last word", async () => {
  const mcpServers = { many: server("repo", 200) };
  const { url, crib, reload } = await openGateway({ mcpServers, builtins: undefined });
  await crib.main.settled(AbortSignal.timeout(60_000));
  const listFor = async (name: string) => {
    const { client } = await connect(url, "legacy", { name });
    return async () => (await client.listTools()).tools.map((tool) => tool.name);
  };
  const [claude, code, nobody] = await Promise.all(["claude-code", "Visual Studio Code", "nobody-knows"].map(listFor));
  expect(await claude?.()).toHaveLength(200);
  expect(await code?.()).toHaveLength(128);
  expect(ofServers((await nobody?.()) ?? [])).toEqual([]);
  const of = (label: string) => crib.views.find((view) => view.label === label)?.session;
  expect(of("nobody-knows")?.why("many/repo_1")).toMatchObject({
    explanations: [
      { standing: "deferred", reasons: [{ reason: { text: expect.stringContaining('"nobody-knows"') } }] },
    ],
  });
  expect(describeClient(of("claude-code")?.toolset.scene.client as never)).toContain('known client "claude-code"');
  await reload({
    mcpServers,
    builtins: undefined,
    gateway: { knownClients: { nobody: { ownSearch: true, maxTools: 150 } } },
  });
  expect(await nobody?.()).toHaveLength(150);
});

describe("built-in tools in front of a client", () => {
  const few = { few: server("repo", 2) };
  const listed = async (config: object) => {
    const { url, crib } = await openGateway({ builtins: undefined, ...config });
    await crib.main.settled(AbortSignal.timeout(60_000));
    const { client } = await connect(url, "legacy");
    return { names: (await client.listTools()).tools.map((tool) => tool.name), why: crib.main.why };
  };

  test("are off beside a person's own tools, which why says with the setting, and own no name", async () => {
    const { names, why } = await listed({ mcpServers: few });
    expect(names).toEqual(["few__repo_1", "few__repo_2"]);
    expect(why("bash")).toMatchObject({
      explanations: [
        {
          standing: "hidden",
          reasons: [{ gate: "builtins", reason: { code: "builtin.off" } }],
          fixes: [expect.stringContaining("gateway.builtins")],
        },
      ],
    });
  });

  test.each([
    ["read", ["view", "grep"], ["bash", "create"]],
    ["all", ["view", "bash"], []],
    [["view"], ["view"], ["grep", "bash"]],
  ])("are there as gateway.builtins: %j says", async (builtins, there, absent) => {
    const { names } = await listed({ mcpServers: few, gateway: { builtins } });
    for (const name of [...there, "few__repo_1"]) expect(names).toContain(name);
    for (const name of absent) expect(names).not.toContain(name);
  });

  test("those that only read stay where there is no server, and a choice for all programs holds here too", async () => {
    const { names } = await listed({});
    expect(names).toContain("view");
    expect(names).not.toContain("bash");
    expect((await listed({ mcpServers: few, builtins: ["bash"] })).names).toContain("bash");
    expect((await listed({ builtins: "all", gateway: { builtins: "off" } })).names).not.toContain("view");
  });
});
