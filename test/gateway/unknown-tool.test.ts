import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { mainProfile } from "../../src/runtime/crib/profile.ts";
import { type ClientEra, connect, createLineClient } from "./clients.ts";
import { openGateway } from "./world.ts";

const SHAPES = fileURLToPath(new URL("../fixtures/shapes-server.cjs", import.meta.url));
const CONFIG = {
  mcpServers: { it: { command: process.execPath, args: [SHAPES] } },
  toolSearch: "off",
  includeTools: ["it"],
};

/** What is suggested, and nothing of what was asked. */
const advice = (text: string): string => {
  expect(text).toContain("Unknown tool: ");
  return text.split("; did you mean ")[1] ?? "";
};

/** What a client hears when it calls that name. */
async function hears(url: string, era: ClientEra, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { client } = await connect(url, era);
  const answer = await client.callTool({ name, arguments: args }).catch((error: Error) => error.message);
  return typeof answer === "string" ? answer : JSON.stringify(answer);
}

describe.each(["legacy", "modern"] as const)("a client of the %s era that mistypes a tool", (era) => {
  test("is told the nearest ones that it has", async () => {
    const { url } = await openGateway(CONFIG);
    expect(await hears(url, era, "it__cty")).toMatch(/Unknown tool: it__cty; did you mean "it__city"\?$/);
    expect(await hears(url, era, "something_else_altogether")).toMatch(/Unknown tool: something_else_altogether$/);
  });

  test("is told them by the names that it is shown", async () => {
    const { url } = await openGateway({ ...CONFIG, gateway: { unprefixed: "it" } });
    expect(await hears(url, era, "cty")).toMatch(/did you mean "city"\?$/);
  });

  test.each([
    ["a filter", { excludeTools: ["it/numbers"] }],
    ["a rule", { permissions: { deny: ["it/numbers"] } }],
    ["the list of its server", { mcpServers: { it: { ...CONFIG.mcpServers.it, tools: ["city"] } } }],
  ])("never learns of one that %s hides from it, by a near name or by its own", async (_, narrowing) => {
    const { url } = await openGateway({ ...CONFIG, ...narrowing });
    for (const name of ["it__number", "it__numbers"])
      expect(advice(await hears(url, era, name))).not.toContain("numbers");
  });

  test("never learns of one that only its own address leaves out", async () => {
    const { url } = await openGateway(CONFIG);
    expect(advice(await hears(url, era, "it__number"))).toContain('"it__numbers"');
    expect(advice(await hears(`${url}?exclude=it/numbers`, era, "it__number"))).not.toContain("numbers");
  });
});

test("one that waits behind a search is near too, for a search would find it", async () => {
  const { url } = await openGateway({ ...CONFIG, toolSearch: "on" });
  const wrapped = { name: "it__cty", arguments: {} };
  expect(await hears(url, "modern", "tool_call", wrapped)).toMatch(/Unknown tool: it__cty; did you mean "it__city"\?$/);
});

test("a call as a task says the same", async () => {
  const { gateway } = await openGateway(CONFIG);
  const { input, output, request, send } = createLineClient();
  const served = gateway.serveStdio({ input, output }, mainProfile());
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tasks", version: "1" } };
  await request(1, "initialize", params);
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  expect(await request(2, "tools/call", { name: "it__cty", arguments: {}, task: {} })).toMatchObject({
    error: { code: -32602, message: 'Unknown tool: it__cty; did you mean "it__city"?' },
  });
  input.end();
  await served;
});
