import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { ensureBuilt, runBuilt } from "../support/built-cli.ts";
import { newMachine, runHere } from "../support/running-up.ts";
import { statusOf } from "./connected.ts";

beforeAll(ensureBuilt, 300_000);

/** A project whose one server writes down each of its starts, and one that does not start. */
function machineWith() {
  const machine = newMachine();
  const log = join(machine.home, "starts.log");
  const code = `
    require("node:fs").appendFileSync(${JSON.stringify(log)}, "x");
    const tell = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === "initialize") tell(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
      else if (method === "tools/list") tell(id, { tools: [{ name: "rain", description: "Says where it rains.", inputSchema: { type: "object" } }] });
      else if (method === "tools/call") tell(id, { content: [{ type: "text", text: "it rains in " + params.arguments.place }] });
      else if (id !== undefined) tell(id, {});
    });`;
  const server = { command: process.execPath, args: ["-e", code] };
  machine.write("user", JSON.stringify({ mcpServers: { weather: server }, permissions: { allow: ["weather/*"] } }));
  return { ...machine, starts: () => (existsSync(log) ? readFileSync(log, "utf8").length : 0) };
}

async function detach(machine: ReturnType<typeof machineWith>) {
  onTestFinished(async () => void (await runHere(["down", "--all"], machine)));
  const { status, err } = await runBuilt(["up", "--detach", "--port", "0"], machine);
  expect([status, err]).toEqual([0, "toolcrib: starting Toolcrib for ~/work in the background\n"]);
  // The first question waits until the server has answered.
  await runBuilt(["list"], machine);
}

test("questions are answered by what runs, as without it, and start nothing", {
  timeout: 180_000,
}, async () => {
  const machine = machineWith();
  const questions = [
    ["list"],
    ["list", "--mode", "plan", "--exclude", "weather"],
    ["why", "weather/rain"],
    ["why", "weather/rain", "--exclude", "weather"],
    ["search", "rain"],
    ["check", "weather/rain", "--args", '{"place":"here"}'],
    ["call", "weather/rain", "--args", '{"place":"here"}'],
    ...[
      ["why", "bash"],
      ["why", "bash", "--client", "cursor"],
      ["list", "--client", "cursor"],
    ],
    ...[["diff", "base", "mode=plan"], ["diff", "base", "client=cursor"], ["snapshot"]],
    ["servers"],
    ["doctor"],
  ];
  const ask = async (argv: readonly string[]): Promise<unknown> => {
    const { status, out, err } = await runHere([...argv, "--json"], machine);
    expect(out, err).toMatch(/^[[{]/);
    return [argv.join(" "), status, JSON.parse(out)];
  };
  const alone: unknown[] = [];
  for (const argv of questions) alone.push(await ask(argv));
  const before = machine.starts();
  await detach(machine);
  expect(machine.starts()).toBe(before + 1);
  const beside: unknown[] = [];
  for (const argv of questions) beside.push(await ask(argv));
  expect(machine.starts()).toBe(before + 1);
  expect(beside).toEqual(alone);
  const { out } = await runHere(["list", "--json", "--fresh"], machine);
  expect([machine.starts(), ["list", 0, JSON.parse(out)]]).toEqual([before + 2, alone[0]]);
});

test("one of another version is not asked, and that is said", async () => {
  const machine = machineWith();
  await detach(machine);
  const [running] = await statusOf(machine);
  const folder = join(machine.home, ".local", "state", "toolcrib", "running");
  const { readdirSync } = await import("node:fs");
  const note = join(folder, readdirSync(folder).find((name) => name.endsWith(".json")) ?? "");
  writeFileSync(note, readFileSync(note, "utf8").replace(`"version":"${running?.version}"`, '"version":"0.0.1"'));
  const { status, err } = await runHere(["why", "weather/rain"], machine);
  expect(status).toBe(0);
  expect(err).toContain("is version 0.0.1");
  expect(machine.starts()).toBe(2);
});

test("why about a built-in tool starts nothing, and other servers' trouble is one line", async () => {
  const machine = machineWith();
  expect(await runHere(["why", "view"], machine)).toMatchObject({ out: expect.stringContaining("view is") });
  expect(machine.starts()).toBe(0);
  const broken = { command: process.execPath, args: ["-e", "process.exit(1)"] };
  const config = JSON.parse(readFileSync(join(machine.home, ".config", "toolcrib", "config.yaml"), "utf8"));
  const mcpServers = { ...config.mcpServers, one: broken, two: broken };
  machine.write("user", JSON.stringify({ ...config, mcpServers }));
  const { status, err } = await runHere(["why", "weather/rain"], machine);
  expect(status).toBe(0);
  expect(err.trim().split("\n")).toEqual([
    expect.stringMatching(/^As "toolcrib run" gets it; --client NAME/),
    expect.stringMatching(/2 other servers are not connected: one, two/),
  ]);
});
