import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { ensureBuilt, runBuilt, startCli } from "../support/built-cli.ts";
import { leftBehind } from "../support/left-behind.ts";
import { misbehaving } from "../support/mcp-sources.ts";
import { newMachine, runHere } from "../support/running-up.ts";

beforeAll(ensureBuilt, 120_000);

const CONFIG = JSON.stringify({
  toolSearch: "off",
  builtins: "all",
  mcpServers: { it: misbehaving() },
  permissions: { ask: ["it/cwd"], deny: ["Write(b.txt)"] },
});

test("serve --stdio is a server like any other to a client that starts it, and ends with it", async () => {
  const { bin, cwd, env, home } = newMachine({ user: CONFIG });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, "serve", "--stdio"],
    cwd,
    env: { PATH: process.env.PATH ?? "", ...env },
    stderr: "ignore",
  });
  const client = new Client({ name: "tester", version: "1" });
  onTestFinished(() => client.close().catch(() => undefined));
  const changed = new Promise<void>((resolve) =>
    client.setNotificationHandler("notifications/tools/list_changed", () => resolve()),
  );
  await client.connect(transport);
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  if (!(await names()).includes("it__echo")) await changed;
  expect(await names()).toEqual(expect.arrayContaining(["view", "it__echo"]));
  const echo = await client.callTool({ name: "it__echo", arguments: { text: "through the gateway" } });
  expect(echo.content).toEqual([{ type: "text", text: "through the gateway" }]);
  const denied = await client.callTool({ name: "create", arguments: { path: "b.txt", content: "x" } });
  expect(denied.isError).toBe(true);
  // Nobody looks at a queue here, and this client cannot ask its user: refused at once instead of waiting for ever.
  const asked = await client.callTool({ name: "it__cwd", arguments: {} });
  expect(asked).toMatchObject({ isError: true });
  await client.close();
  await vi.waitUntil(() => leftBehind(home).length === 0, 20_000);
});

test("serve says what it needs, and keeps standard output for the protocol", async () => {
  const machine = newMachine();
  expect(await runHere(["serve"], machine)).toMatchObject({ status: 2, err: expect.stringContaining("--stdio or") });
  expect(await runHere(["serve", "--stdio", "--http"], machine)).toMatchObject({ status: 2 });
  expect(await runHere(["serve", "--stdio", "--port", "1"], machine)).toMatchObject({ status: 2 });
  const { status, out } = await runBuilt(["serve", "--stdio"], { ...machine, stdin: "" });
  expect({ status, out }).toEqual({ status: 0, out: "" });
});

test("serve --http is the endpoint without the page", async () => {
  const machine = newMachine();
  const child = startCli(["serve", "--http", "--json", "--port", "0"], machine);
  onTestFinished(() => void child.kill("SIGKILL"));
  const text = await new Promise<string>((resolve) => child.stdout?.setEncoding("utf8").once("data", resolve));
  const { endpoint, token } = JSON.parse(text);
  expect((await fetch(new URL("/", endpoint))).status).toBe(404);
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(new URL("/api/overview", endpoint), { headers })).status).toBe(404);
  expect((await fetch(new URL("/healthz", endpoint))).status).toBe(200);
});

test("a second start lists every tool within two seconds, while its servers take thirty", async () => {
  const server = fileURLToPath(new URL("../fixtures/many-tools-server.cjs", import.meta.url));
  const slow = join(mkdtempSync(join(tmpdir(), "toolcrib-slow-")), "delay");
  onTestFinished(() => rmSync(dirname(slow), { recursive: true }));
  const mcpServers = Object.fromEntries(
    ["one", "two", "three"].map((prefix) => [
      prefix,
      { command: process.execPath, args: [server, `prefix=${prefix}`, "tools=20", `delay-from=${slow}`] },
    ]),
  );
  const { bin, cwd, env } = newMachine({ user: JSON.stringify({ mcpServers }) });
  const list = async () => {
    const client = new Client({ name: "claude-code", version: "1" });
    onTestFinished(() => client.close().catch(() => undefined));
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [bin, "serve", "--stdio"],
        cwd,
        env: { PATH: process.env.PATH ?? "", ...env },
        stderr: "ignore",
      }),
    );
    const began = performance.now();
    const { tools } = await client.listTools();
    const took = performance.now() - began;
    await client.close();
    return { names: tools.map(({ name }) => name), took };
  };
  expect((await list()).names).toHaveLength(60);
  writeFileSync(slow, "30000");
  // A busy machine may hold one of them up, hardly all.
  const took: number[] = [];
  while (took.length < 5 && Math.min(...took) >= 2_000) {
    const next = await list();
    expect(next.names).toHaveLength(60);
    took.push(next.took);
  }
  expect(Math.min(...took)).toBeLessThan(2_000);
});

test("where managed policy requires the log, calls of clients are refused while it cannot be written", async () => {
  const { bin, cwd, env } = newMachine({
    user: '{ "builtins": "read" }',
    "policy.yaml": "policy: { audit: required }\n",
  });
  const transport = new StdioClientTransport({
    ...{
      command: process.execPath,
      args: [bin, "serve", "--stdio", "--audit", "log/audit.jsonl"],
      cwd,
      stderr: "ignore",
    },
    env: { PATH: process.env.PATH ?? "", ...env, TOOLCRIB_POLICY: join(cwd, "policy.yaml") },
  });
  const client = new Client({ name: "tester", version: "1" });
  onTestFinished(() => client.close().catch(() => undefined));
  mkdirSync(join(cwd, "log"));
  await client.connect(transport);
  const look = async () => (await client.callTool({ name: "view", arguments: { path: "policy.yaml" } })) as object;
  expect(await look()).not.toHaveProperty("isError", true);
  // Where its folder was there is a file now, so that the next row finds no place.
  rmSync(join(cwd, "log"), { recursive: true });
  writeFileSync(join(cwd, "log"), "");
  expect(await look()).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("the required log of calls cannot be written") }],
  });
  rmSync(join(cwd, "log"));
  mkdirSync(join(cwd, "log"));
  expect(await look()).not.toHaveProperty("isError", true);
});
