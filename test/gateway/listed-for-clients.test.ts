import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import { describeClient } from "../../src/core/scene/client.ts";
import { connect } from "./clients.ts";
import { openGateway } from "./world.ts";

vi.setConfig({ testTimeout: 90_000 });

const SERVER = fileURLToPath(new URL("../fixtures/many-tools-server.mjs", import.meta.url));
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
    const { url, crib } = await openGateway({ mcpServers: FIVE });
    await crib.main.settled(AbortSignal.timeout(60_000));
    const { client } = await connect(url, era, { name });
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    expect(ofServers(names)).toHaveLength(66);
    expect(names).not.toContain("tool_search");
  });
});

test("what a client is known for decides, and the configuration has the last word", async () => {
  const mcpServers = { many: server("repo", 200) };
  const { url, crib, reload } = await openGateway({ mcpServers });
  await crib.main.settled(AbortSignal.timeout(60_000));
  const listFor = async (name: string) => {
    const { client } = await connect(url, "legacy", { name });
    return async () => (await client.listTools()).tools.map((tool) => tool.name);
  };
  const [claude, code, nobody] = await Promise.all(["claude-code", "Visual Studio Code", "nobody-knows"].map(listFor));
  expect(ofServers((await claude?.()) ?? [])).toHaveLength(200);
  expect(await code?.()).toHaveLength(128);
  expect(ofServers((await nobody?.()) ?? [])).toEqual([]);
  const of = (label: string) => crib.views.find((view) => view.label === label)?.session;
  expect(of("nobody-knows")?.why("many/repo_1")).toMatchObject({
    explanations: [
      { standing: "deferred", reasons: [{ reason: { text: expect.stringContaining('"nobody-knows"') } }] },
    ],
  });
  expect(describeClient(of("claude-code")?.toolset.scene.client as never)).toContain('known client "claude-code"');
  await reload({ mcpServers, gateway: { knownClients: { nobody: { ownSearch: true, maxTools: 150 } } } });
  expect(await nobody?.()).toHaveLength(150);
});
