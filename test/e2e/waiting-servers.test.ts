import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ServerView } from "../../src/surfaces/http/api/api.ts";
import { misbehaving } from "../support/mcp-sources.ts";
import { newMachine, type RunningUp, runHere, startUp } from "../support/running-up.ts";

const SECRET = "ghp_canary4567890123456789012345678901";

/** A person with one server in Claude's own file, in a project with another one in `.mcp.json`. */
function machineWith(project: object = { ...misbehaving(), env: { GITHUB_TOKEN: SECRET } }) {
  const machine = newMachine({ ".mcp.json": JSON.stringify({ mcpServers: { proj: project } }) });
  writeFileSync(join(machine.home, ".claude.json"), JSON.stringify({ mcpServers: { mine: misbehaving() } }));
  const path = (file: string) => join(machine.cwd, file);
  return { ...machine, path, cli: (...argv: readonly string[]) => runHere(argv, machine) };
}

/** What the page asks for and does. */
function pageOf({ document: { inspector, token } }: RunningUp) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const servers = async () =>
    (await (await fetch(`${inspector}api/servers`, { headers })).json()) as readonly ServerView[];
  return {
    servers,
    named: async (name: string) => (await servers()).find((server) => server.name === name),
    start: async (name: string, body: object) =>
      (await fetch(`${inspector}api/servers/${name}/start`, { method: "POST", headers, body: JSON.stringify(body) }))
        .status,
  };
}

const PATIENCE = { timeout: 40_000 };

test("a server of the project's files is on the page with all that it runs, and starts once somebody agrees", {
  timeout: 120_000,
}, async () => {
  const machine = machineWith();
  const page = pageOf(await startUp(machine));
  const shown = await page.named("proj");
  expect(shown).toMatchObject({
    state: "waiting",
    from: ".mcp.json:1",
    waits: expect.any(String),
    shows: expect.arrayContaining([
      { path: "runs", value: expect.stringContaining("misbehaving-server.cjs") },
      { path: "env.GITHUB_TOKEN", value: "${GITHUB_TOKEN}" },
    ]),
  });
  expect(JSON.stringify(await page.servers())).not.toContain(SECRET);

  // Nothing starts without a yes to exactly this.
  expect(await page.start("proj", {})).toBe(400);
  expect(await page.start("proj", { id: "another" })).toBe(404);
  expect(existsSync(machine.path("toolcrib.local.yaml"))).toBe(false);

  expect(await page.start("proj", { id: shown?.waits })).toBe(204);
  await expect.poll(async () => (await page.named("proj"))?.state, PATIENCE).toBe("connected");
  expect(await page.named("proj")).toMatchObject({
    waits: null,
    from: expect.stringContaining("toolcrib.local.yaml:"),
  });
  // The servers of the home folder stay.
  expect((await page.named("mine"))?.state).toBe("connected");
  expect(readFileSync(machine.path("toolcrib.local.yaml"), "utf8")).not.toContain(SECRET);
  const keys = join(machine.home, ".config", "toolcrib", "keys.env");
  const written = existsSync(keys) ? keys : join(machine.home, ".config", "toolcrib", "keys");
  expect(statSync(written).mode & 0o077).toBe(0);
});

test("an entry that changed since it was shown is not agreed to", { timeout: 120_000 }, async () => {
  const machine = machineWith();
  writeFileSync(machine.path("toolcrib.yaml"), JSON.stringify({ mcpServers: { own: misbehaving() } }));
  const page = pageOf(await startUp(machine));
  const [own, proj] = [await page.named("own"), await page.named("proj")];
  expect([own?.state, proj?.state]).toEqual(["waiting", "waiting"]);
  writeFileSync(machine.path("toolcrib.yaml"), JSON.stringify({ mcpServers: { own: misbehaving("odd-tools") } }));
  const changed = { mcpServers: { proj: misbehaving("odd-tools") } };
  writeFileSync(machine.path(".mcp.json"), JSON.stringify(changed));
  expect(await page.start("own", { id: own?.waits })).toBe(404);
  expect(await page.start("proj", { id: proj?.waits })).toBe(404);
  expect(readFileSync(machine.path("toolcrib.yaml"), "utf8")).not.toContain("proj");

  const now = await page.named("own");
  expect(now?.shows).toEqual([{ path: "runs", value: expect.stringContaining("odd-tools") }]);
  expect(await page.start("own", { id: now?.waits })).toBe(204);
  await expect.poll(async () => (await page.named("own"))?.state, PATIENCE).toBe("connected");
  expect((await page.named("proj"))?.state).toBe("waiting");
});

const API = JSON.stringify({
  ...{ openapi: "3.0.0", info: { title: "Pets", version: "1" } },
  paths: { "/pets": { get: { operationId: "listPets", responses: { 200: { description: "ok" } } } } },
});

test.each([
  ["an API", ["pets", "--openapi", "pets.json", "http://127.0.0.1:9/v1"]],
  ["a server", ["pets", "--", process.execPath, ...(misbehaving().args ?? [])]],
])("adding %s leaves the servers of the home folder, as it says", async (_, argv) => {
  const machine = machineWith();
  machine.write("pets.json", API);
  const { out } = await machine.cli("add", "--trust", ...argv);
  expect(out).toMatch(/^Wrote toolcrib\.local\.yaml:/);
  expect(out).toContain("The servers of ~/.claude.json stay");
  const { servers, notUsed } = JSON.parse((await machine.cli("servers", "--json")).out);
  const states = servers.map(({ name, state }: { name: string; state: string }) => `${name} ${state}`);
  expect(states).toEqual(expect.arrayContaining(["mine connected", "pets connected"]));
  expect(notUsed).toEqual([]);
});

test("beside a configuration of ours, servers says which others are not used, and how to get them", async () => {
  const machine = machineWith();
  machine.write("toolcrib.yaml", "excludeTools: []\n");
  const text = (await machine.cli("servers")).out.replace(/\s+/g, " ");
  expect(text).toContain('Not used here: proj (.mcp.json:1). "toolcrib init" takes them over');
  expect(text).toContain("Not used here: mine (~/.claude.json:1). Servers of your home folder count until");
  const { notUsed } = JSON.parse((await machine.cli("servers", "--json")).out);
  expect(notUsed).toEqual([
    { name: "proj", from: ".mcp.json:1", side: "project" },
    { name: "mine", from: "~/.claude.json:1", side: "user" },
  ]);
});
