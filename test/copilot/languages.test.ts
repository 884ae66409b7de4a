import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COPILOT_OPTIONS, readOptions } from "../../src/surfaces/copilot/wire/client-options.ts";
import { isClientStart, readFlags } from "../../src/surfaces/copilot/wire/flags.ts";
import { startRuntime } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

// What clients in other languages than TypeScript and Python do differently.

test("an option that is null, as Go writes it, counts as left out", async () => {
  const nulls = Object.fromEntries(Object.keys(COPILOT_OPTIONS).map((name) => [name, null]));
  expect(readOptions(nulls)).toEqual(readOptions({}));
  const nested = {
    provider: { baseUrl: "http://127.0.0.1:9", apiKey: null },
    customAgents: [{ name: "a", tools: null }],
  };
  expect(readOptions(nested)).toMatchObject({
    provider: { baseUrl: "http://127.0.0.1:9" },
    customAgents: [{ name: "a" }],
  });
  expect(Object.keys(readOptions(nested).provider ?? {})).toEqual(["baseUrl"]);

  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies: [{ text: "Yes." }] }));
  const client = startRuntime(join(project, "home"), project).connect();
  const given = { ...nulls, model: `scripted:${script}`, tools: [{ name: "mine", description: "Mine" }] };
  await client.request("session.create", { sessionId: "s", ...given });
  const tools = async () =>
    ((await client.request("session.tools.getCurrentMetadata", { sessionId: "s" })).tools as { name: string }[]).map(
      ({ name }) => name,
    );
  expect(await tools()).toEqual(expect.arrayContaining(["mine", "view"]));
  await client.request("session.resume", { sessionId: "s", availableTools: null, tools: null });
  expect(await tools()).toEqual(expect.arrayContaining(["mine", "view"]));
});

test("Java and Rust start a runtime with --server; behind a command it still names a server", () => {
  expect(readFlags(["--server", "--no-auto-update", "--log-level", "info", "--stdio"])).toMatchObject({ port: null });
  expect(readFlags(["--yolo", "--server", "--port", "7777", "--new-flag"])).toMatchObject({
    port: 7777,
    approvesAll: true,
  });
  for (const start of [["--server", "--stdio"], ["--headless"], ["--stdio", "--server"], ["--server", "--port=0"]])
    expect(isClientStart(start), start.join(" ")).toBe(true);
  for (const start of [
    ["list", "--server", "github"],
    ["--server", "github"],
    ["list", "--server", "--stdio"],
    ["--server"],
  ])
    expect(isClientStart(start), start.join(" ")).toBe(false);
});

test("a client before 1.0, which pings without connecting, gets its timestamp in milliseconds", async () => {
  const { project } = tempWorkspace();
  const runtime = startRuntime(join(project, "home"), project);
  expect(await runtime.connect().request("ping")).toMatchObject({ timestamp: expect.any(Number) });
  const newer = runtime.connect();
  await newer.request("connect");
  expect(await newer.request("ping")).toMatchObject({ timestamp: expect.stringMatching(/^\d{4}-.*Z$/) });
});
