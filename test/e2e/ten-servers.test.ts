import { beforeAll, expect, test, vi } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { leftBehind } from "../support/left-behind.ts";
import { misbehaving, packagedServer } from "../support/mcp-sources.ts";
import { listsUntil, newMachine, startUp } from "../support/running-up.ts";

vi.setConfig({ testTimeout: 180_000 });
beforeAll(ensureBuilt, 120_000);

const server = (name: "everything" | "filesystem" | "memory", ...args: readonly string[]) => ({
  command: process.execPath,
  args: [packagedServer(name), ...args],
  // All together they would be more than are shown without a search.
  tools: ["echo", "get-sum", "read_text_file", "list_directory", "read_graph", "search_nodes"],
});

/** The servers of npm that come with the tests, each several times, as somebody with ten servers would have them. */
const TEN = {
  ...Object.fromEntries(["every1", "every2", "every3"].map((name) => [name, server("everything", "stdio")])),
  ...Object.fromEntries(["files1", "files2", "files3", "files4"].map((name) => [name, server("filesystem", ".")])),
  ...Object.fromEntries(["graph1", "graph2", "graph3"].map((name) => [name, server("memory")])),
};

interface Missing {
  readonly server: string;
  readonly state: string;
  readonly reason: string;
}

test("ten servers of npm, one that is broken and one that hangs: the endpoint answers with what is there and names the rest", async () => {
  const mcpServers = { ...TEN, broken: misbehaving("exit-at-start"), hangs: misbehaving("never-initialise") };
  const machine = newMachine({ user: JSON.stringify({ toolSearch: "off", builtins: "all", mcpServers }) });
  const up = await startUp(machine);
  const client = await up.connect();
  const look = async () => {
    const { tools, _meta } = await client.listTools();
    const missing = (_meta?.["toolcrib/missing"] ?? []) as readonly Missing[]; // As this gateway writes it.
    return { servers: new Set(tools.map(({ name }) => name.split("__")[0])), missing };
  };
  const first = await look();
  // Every server is in the list or named as missing, and what needs no server is there from the start.
  expect(first.servers).toContain("view");
  for (const name of Object.keys(mcpServers))
    expect(first.servers.has(name) || first.missing.some((one) => one.server === name)).toBe(true);
  expect(first.missing.map((one) => one.server)).toEqual(expect.arrayContaining(["hangs"]));

  await listsUntil(client, (tools) =>
    Object.keys(TEN).every((name) => tools.some((tool) => tool.startsWith(`${name}__`))),
  );
  const last = await look();
  expect(last.missing.map((one) => one.server).sort()).toEqual(["broken", "hangs"]);
  for (const { reason } of last.missing) expect(reason).toMatch(/\w/);
  const echo = await client.callTool({ name: "every2__echo", arguments: { message: "hi" } });
  expect(echo).toMatchObject({ content: [{ type: "text", text: "Echo: hi" }] });
  await client.close();
  await up.end();
  expect(leftBehind(machine.home)).toEqual([]);
});
