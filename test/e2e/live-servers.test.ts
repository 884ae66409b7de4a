import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ensureBuilt, finish, startCli } from "../support/built-cli.ts";
import { leftBehind } from "../support/left-behind.ts";
import { misbehaving, packagedServer } from "../support/mcp-sources.ts";
import { untilHolds } from "../support/poll.ts";
import { createMachine, runCli } from "../support/run-cli.ts";

/** Each of these starts several processes that start several more. */
beforeAll(ensureBuilt, 120_000);

const stdio = (script: string, ...args: readonly string[]) => ({ command: process.execPath, args: [script, ...args] });
const BROKEN = misbehaving("exit-at-start");
const REAL = {
  everything: stdio(packagedServer("everything")),
  files: stdio(packagedServer("filesystem"), "."),
  memory: stdio(packagedServer("memory")),
};

/** A trusted workspace with these servers. JSON is YAML, so that nothing has to be quoted here. */
async function createProject(config: Readonly<Record<string, unknown>>) {
  const { cwd, home, write } = createMachine({ "toolcrib.yaml": JSON.stringify(config, null, 2) });
  const options = { cwd, env: { HOME: home, XDG_CONFIG_HOME: "", TOOLCRIB_TEST_HOME: home } };
  const cli = (...argv: readonly string[]) => ask(argv, options);
  expect((await cli("trust", "--yes")).status).toBe(0);
  return { cwd, home, write, options, cli };
}

/** The command in this process: what it starts are processes all the same. */
function ask(argv: readonly string[], { env, ...rest }: Parameters<typeof runCli>[1] & object) {
  return runCli(argv, { ...rest, env: { ...(process.env as Record<string, string>), ...env } }); // Only what is set is listed.
}

describe("real servers and a broken one", () => {
  const config = { mcpServers: { ...REAL, broken: BROKEN }, toolSearch: "off" };
  const one = { mcpServers: { memory: REAL.memory, broken: BROKEN }, excludeTools: ["memory/delete_entities"] };

  test("list shows the tools of those that run, and says what is wrong with the other", async () => {
    const { cli, home } = await createProject(config);
    const { status, out, err } = await cli("list");
    expect(status).toBe(0);
    for (const name of ["everything/echo", "files/read_text_file", "memory/create_entities", "view"])
      expect(out).toMatch(new RegExp(`visible +${name}`));
    expect(err).toContain('server "broken" exited with code 3');
    expect(err).toContain("toolcrib servers logs broken");
    expect(leftBehind(home)).toEqual([]);
  });

  test("why explains a running server's tool, and says of the broken one's that the server failed", async () => {
    const { cli } = await createProject(one);
    expect((await cli("why", "memory/read_graph")).status).toBe(0);
    expect(await cli("why", "memory/delete_entities")).toMatchObject({
      status: 1,
      out: expect.stringContaining('excluded by "memory/delete_entities"'),
    });
    const broken = await cli("why", "broken/anything");
    expect(broken).toMatchObject({ status: 1, out: "" });
    expect(broken.err).toContain('nothing is known about "broken/anything": server "broken" exited with code 3');
    const json = JSON.parse((await cli("why", "broken__anything", "--json")).out);
    expect(json.error).toMatchObject({ code: "tool.not-found", names: ["broken"] });
  });

  test("list --json says it in one document, and a snapshot replays it without any server", async () => {
    const { cli, options } = await createProject(config);
    const listed = await cli("list", "--json");
    const live = JSON.parse(listed.out);
    expect(live.tools.filter(({ server }: { server: string }) => server === "files").length).toBeGreaterThan(5);
    expect(live.notices).toContainEqual(expect.objectContaining({ code: "server.failed", names: ["broken"] }));
    expect(listed.err).toBe("");
    const snapshot = await cli("snapshot");
    const replayed = await ask(["list", "--world", "-", "--json"], { ...options, stdin: snapshot.out });
    expect(JSON.parse(replayed.out).tools).toEqual(
      live.tools.map((tool: object) => ({ ...tool, trace: expect.any(Array) })),
    );
    expect(JSON.parse(replayed.out).catalogHash).toBe(live.catalogHash);
  });

  test("diff starts them once for both sides", async () => {
    const [script = ""] = misbehaving().args ?? [];
    const noting = `require("node:fs").appendFileSync("starts", "x"); import(${JSON.stringify(script)})`;
    const it = { command: process.execPath, args: ["-e", noting] };
    const { cli, cwd } = await createProject({ mcpServers: { it }, toolSearch: "off" });
    const { status, out } = await cli("diff", "base", "exclude=it");
    expect(status).toBe(0);
    expect(out).toMatch(/^- \d+ tools: visible -> hidden\n(?: .*\n)*? .*it\/echo/m);
    expect(readFileSync(join(cwd, "starts"), "utf8")).toBe("x");
  });

  test("servers tells every state, and its logs what the broken one said", async () => {
    const { cli, home } = await createProject(one);
    const { status, out } = await cli("servers");
    expect(status).toBe(1);
    expect(out).toMatch(/memory +connected +\d+ +stdio/);
    expect(out).toMatch(/broken +failed/);
    const { servers } = JSON.parse((await cli("servers", "--json")).out);
    expect(servers).toContainEqual(
      expect.objectContaining({ name: "memory", state: "connected", transport: "stdio", era: "legacy", tools: 9 }),
    );
    expect(await cli("servers", "logs", "broken")).toMatchObject({ status: 0, out: "fatal: no licence\n" });
    expect(await cli("servers", "restart", "memory")).toMatchObject({ status: 0 });
    expect(await cli("servers", "restart", "broken")).toMatchObject({ status: 1 });
    expect(await cli("servers", "restart", "memry")).toMatchObject({
      status: 1,
      err: expect.stringContaining('did you mean "memory"?'),
    });
    expect(leftBehind(home)).toEqual([]);
  });

  test("doctor names the server, and what of the lists means nothing or changes nothing", async () => {
    const { cli, home } = await createProject({
      mcpServers: { ...one.mcpServers, it: misbehaving() },
      excludeTools: ["it/echo", "it/ech", "it/*"],
      agents: [{ name: "reviewer", tools: ["viw"] }],
      tools: [{ name: "t", use: "./missing.js:tool" }],
      toolsets: { memory: ["view"] },
    });
    const { status, out } = await cli("doctor");
    expect(status).toBe(1);
    for (const said of [
      'server "broken" exited with code 3',
      "toolcrib servers logs broken",
      'excludeTools names "it/ech"',
      'tools of agent "reviewer" names "viw"',
      'did you mean "view"?',
      'excludeTools names "it/echo", which changes nothing',
      'the toolset "memory" has the name of a toolset that ships with Toolcrib and server memory',
      "./missing.js",
    ])
      expect(out.replace(/\n +/g, " ")).toContain(said);
    const { ok, findings } = JSON.parse((await cli("doctor", "--json")).out);
    expect(ok).toBe(false);
    expect(findings.map(({ level }: { level: string }) => level)).toContain("info");
    expect(leftBehind(home)).toEqual([]);
  });

  test("--no-start starts nothing and says what is not known", async () => {
    const { cli } = await createProject({ mcpServers: { broken: BROKEN } });
    const { status, err } = await cli("list", "--no-start");
    expect([status, err]).toEqual([0, 'As "toolcrib run" gets it; --client NAME for what a client gets.\n']);
    expect((await cli("why", "broken/x", "--no-start")).err).toContain("not listed yet");
  });
});

test("doctor finds nothing wrong with what is right", async () => {
  const { cli } = await createProject({
    mcpServers: { memory: REAL.memory },
    excludeTools: ["memory/delete_entities"],
  });
  expect(await cli("doctor")).toMatchObject({ status: 0, out: expect.stringContaining("nothing is wrong") });
});

test("doctor tells all mistakes of all files, and starts nothing then", async () => {
  const { cli, write } = await createProject({ mcpServers: { broken: BROKEN } });
  write("toolcrib.local.yaml", "toolz: 1\nagentz: 2\n");
  write("toolcrib.yaml", "a: [\n");
  const { status, out } = await cli("doctor");
  expect(status).toBe(1);
  for (const said of ['"toolz"', '"agentz"', "toolcrib.yaml:"]) expect(out).toContain(said);
});

test("a server that hangs costs its own tools and the time-out, and is told as starting", {
  timeout: 240_000,
}, async () => {
  const { cli, home } = await createProject({
    mcpServers: { memory: REAL.memory, slow: misbehaving("never-initialise", "ignore-sigterm") },
    toolSearch: "off",
  });
  // However long the other one takes to start on a busy machine, the one that hangs is still waited for.
  let hasOther = false;
  for (const seconds of ["2", "10", "40"]) {
    const { status, out } = await cli("list", "--json", "--timeout", seconds);
    const { notices, tools } = JSON.parse(out);
    expect(status).toBe(0);
    const { names } = notices.find(({ code }: { code: string }) => code === "server.starting");
    expect(names).toContain("slow");
    hasOther = tools.some(({ server }: { server: string }) => server === "memory");
    if (hasOther) break;
  }
  expect(hasOther).toBe(true);
  expect((await cli("why", "slow/x", "--timeout", "1")).err).toContain('server "slow" is still starting');
  expect(leftBehind(home)).toEqual([]);
});

test("entries that cannot be used and variables that are not set cost only their own server", async () => {
  const { cli } = await createProject({
    mcpServers: {
      memory: REAL.memory,
      odd: { url: "ftp://h" },
      none: { command: "no-such-program-anywhere" },
      unset: { command: "${NO_SUCH_VARIABLE}" },
    },
  });
  const { servers } = JSON.parse((await cli("servers", "--json")).out);
  const states = servers.map(({ name, state }: { name: string; state: string }) => `${name} ${state}`);
  expect(states).toEqual(["builtin connected", "memory connected", "odd failed", "none failed", "unset failed"]);
  expect((await cli("why", "unset/x")).err).toContain("${NO_SUCH_VARIABLE} is not set");
});

test("a server that wants a login says where to put a token, and nobody pretends to log in", async () => {
  const web = createServer((_, answer) => void answer.writeHead(401).end()).listen(0, "127.0.0.1");
  onTestFinished(() => void web.close());
  await once(web, "listening");
  const { port } = web.address() as AddressInfo; // It listens on a port, not on a path.
  const { cli } = await createProject({ mcpServers: { hub: { url: `http://127.0.0.1:${port}/mcp` } } });
  const { out, status } = await cli("servers", "login", "hub");
  expect(status).toBe(1);
  expect(out).toContain('headers: { Authorization: "Bearer ${HUB_TOKEN}" }');
  expect(out).toContain("There is no way to log in through a browser");
  const { notices } = JSON.parse((await cli("list", "--json")).out);
  expect(notices).toContainEqual(expect.objectContaining({ code: "server.needs-auth", names: ["hub"] }));
});

test("an untrusted project's servers are not started, and every command says how to change that", async () => {
  const { cwd, home } = createMachine({ "toolcrib.yaml": JSON.stringify({ mcpServers: { memory: REAL.memory } }) });
  const options = { cwd, env: { HOME: home, XDG_CONFIG_HOME: "" } };
  for (const argv of [["servers"], ["why", "memory/read_graph"], ["doctor"]]) {
    const { out, err } = await ask(argv, options);
    expect((out + err).replace(/\n +/g, " ")).toContain("toolcrib trust");
  }
});

test.each(["SIGINT", "SIGTERM"] as const)("%s while servers start ends the command and all of them", async (signal) => {
  const { options, home } = await createProject({
    mcpServers: { a: misbehaving("never-initialise", "grandchild"), b: misbehaving("never-initialise") },
  });
  const child = startCli(["list", "--timeout", "60", "--log-level", "debug"], options);
  const ended = finish(child);
  await untilHolds(() => leftBehind(home).length >= 4);
  child.kill(signal);
  expect((await ended).signal).toBe(signal);
  expect(leftBehind(home)).toEqual([]);
});
