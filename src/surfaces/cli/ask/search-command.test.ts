import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const WORLD = {
  tools: [
    { name: "view", description: "Reads a file." },
    {
      name: "create_issue",
      source: "mcp",
      server: "github",
      description: "Opens an issue",
      inputSchema: { type: "object" },
    },
    { name: "list_issues", source: "mcp", server: "github", description: "Lists issues\nof a repository" },
    { name: "drop_table", source: "mcp", server: "db", description: "Drops a table" },
  ],
  options: { toolSearch: "on", excludeTools: ["db/*"] },
};
const search = (argv: readonly string[], world: unknown = WORLD) =>
  runCli(["search", "--world", "-", ...argv], { stdin: JSON.stringify(world) });

describe("as JSON", () => {
  test("gives whole definitions, what would be promoted, and what the model reads", async () => {
    const { status, out } = await search(["open issue", "--limit", "1", "--json"]);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual({
      query: "open issue",
      tools: [
        {
          name: "github__create_issue",
          id: "github/create_issue",
          source: "mcp",
          server: "github",
          standing: "deferred",
          description: "Opens an issue",
          inputSchema: { type: "object" },
        },
      ],
      total: 2,
      more: true,
      promoted: {
        catalogHash: expect.any(String),
        names: ["github__create_issue"],
        signatures: { github__create_issue: expect.any(String) },
      },
      unknown: [],
      nearest: [],
      missing: [],
      text: expect.stringMatching(/^This tool can be called now:\n\{"name":"github__create_issue"/),
      notices: [],
    });
  });

  test("a hidden tool is not found, status 1", async () => {
    for (const query of ["select:db__drop_table", "drop table", "/drop/", "+drop"]) {
      const { status, out } = await search([query, "--json"]);
      expect([status, JSON.parse(out).tools]).toEqual([1, []]);
    }
  });
});

test("for people it is a table with the first line of each description", async () => {
  const { out } = await search(["list issues"]);
  expect(out).toMatchInlineSnapshot(`
    "TOOL                 STANDING  DESCRIPTION
    github/list_issues   deferred  Lists issues
    github/create_issue  deferred  Opens an issue
    "
  `);
  expect((await search(["list issues", "--limit", "1"])).out).toContain("1 of 2; --limit shows more");
});

test("--server narrows", async () => {
  expect((await search(["issue", "--server", "db"])).status).toBe(1);
  expect((await search(["issue", "--server", "github"])).status).toBe(0);
});

test("works on the configuration as well", async () => {
  const { cwd, home } = createMachine({ "toolcrib.yaml": "toolSearch: off\n" });
  const { status, out } = await runCli(["search", "read a file", "--no-start", "--json"], { cwd, env: { HOME: home } });
  expect(status).toBe(0);
  expect(JSON.parse(out).tools.length).toBeGreaterThan(0);
});

test.each([["0"], ["21"], ["many"]])("--limit %s is refused", async (limit) => {
  expect(await search(["x", "--limit", limit])).toMatchObject({ status: 2 });
});

test("goes by the configured embedder, and says why it failed", async () => {
  const server = createServer(async (request, response) => {
    const { input } = JSON.parse(await text(request));
    const embedding = (one: string): readonly number[] => [/zorble|todo/.test(one) ? 1 : 0, 0.01];
    response.end(
      JSON.stringify({ data: input.map((one: string, index: number) => ({ index, embedding: embedding(one) })) }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port.
  const user = `search: { embedder: { url: "http://127.0.0.1:${port}/v1", model: m } }\n`;
  const { cwd, home } = createMachine({ user });
  const ask = () => runCli(["search", "zorble"], { cwd, env: { HOME: home } });
  expect((await ask()).out).toMatch(/^TOOL.*\ntodo /);
  await new Promise((resolve) => server.close(resolve));
  const { err, status } = await ask();
  expect(err).toMatch(/warning: the embedder failed, so the search goes by words alone: .*ECONNREFUSED/);
  expect(status).toBe(1);
});
