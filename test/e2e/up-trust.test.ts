import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { leftBehind } from "../support/left-behind.ts";
import { misbehaving } from "../support/mcp-sources.ts";
import { listsUntil, names, newMachine, runHere, startUp } from "../support/running-up.ts";

beforeAll(ensureBuilt, 120_000);

test("a workspace's own servers start when it is trusted, not before, and end when that is taken back", async () => {
  const machine = newMachine({
    "toolcrib.yaml": JSON.stringify({ toolSearch: "off", mcpServers: { it: misbehaving() } }),
  });
  const up = await startUp(machine);
  expect(up.document.servers).toEqual([]);
  expect(await up.says(/left out: .*/)).toContain("server it");
  const client = await up.connect();
  expect(await names(client)).not.toContain("it__echo");
  expect((await runHere(["trust", "--yes"], machine)).status).toBe(0);
  await up.says(/Configuration reloaded: server it added/);
  await listsUntil(client, (tools) => tools.includes("it__echo"));
  expect((await runHere(["trust", "--remove", "--only", "it", "--yes"], machine)).status).toBe(0);
  await up.says(/Configuration reloaded: server it removed/);
  await listsUntil(client, (tools) => !tools.includes("it__echo"));
  await client.close();
  await up.end();
  expect(leftBehind(machine.home)).toEqual([]);
});

test("what is written into a trusted file while it runs waits by itself; the rest runs on, and no client is dropped", async () => {
  const file = (servers: object) => JSON.stringify({ toolSearch: "off", mcpServers: servers });
  const machine = newMachine({ "toolcrib.yaml": file({ it: misbehaving(), other: misbehaving() }) });
  expect((await runHere(["trust", "--yes"], machine)).status).toBe(0);
  const up = await startUp(machine);
  const client = await up.connect();
  await listsUntil(client, (tools) => tools.includes("it__echo") && tools.includes("other__echo"));
  const edited = { ...misbehaving(), env: { EDITED: "1" } };
  machine.write("toolcrib.yaml", file({ it: misbehaving(), other: edited, more: misbehaving() }));
  await up.says(/Configuration reloaded: server other removed/);
  const told = await up.says(/warning: .*left out: .*/);
  expect(told).toContain("asks for more than was trusted");
  expect(told).toMatch(/left out: server other .*server more .*toolcrib trust/);
  expect(told).not.toContain("server it");
  await listsUntil(client, (tools) => tools.includes("it__echo") && !tools.includes("other__echo"));
  expect((await runHere(["trust", "--only", "other", "--yes"], machine)).status).toBe(0);
  await up.says(/Configuration reloaded: server other added/);
  await listsUntil(client, (tools) => tools.includes("other__echo") && !tools.includes("more__echo"));
  await client.close();
  await up.end();
  expect(leftBehind(machine.home)).toEqual([]);
});

test("a server that never answers keeps nobody waiting", async () => {
  const servers = { slow: misbehaving("never-initialise"), it: misbehaving() };
  const machine = newMachine({ user: JSON.stringify({ toolSearch: "off", builtins: "all", mcpServers: servers }) });
  const up = await startUp(machine);
  const client = await up.connect();
  await listsUntil(client, (tools) => tools.includes("it__echo") && tools.includes("view"));
  const { out } = await runHere(["status"], machine);
  expect(out).toContain("slow (starting)");
  expect(out, "status waits for nobody").not.toContain("--timeout");
  await client.close();
  await up.end();
  expect(leftBehind(machine.home)).toEqual([]);
});
