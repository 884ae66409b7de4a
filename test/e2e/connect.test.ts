import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt, finish, ROOT, runBuilt, startCli } from "../support/built-cli.ts";
import { letTimePass, shortly } from "../support/poll.ts";
import { listsUntil, names, newMachine, runHere, startUp } from "../support/running-up.ts";
import { connectClient, statusOf } from "./connected.ts";

beforeAll(ensureBuilt, 300_000);

/** A server with one tool of that name, which writes down that it was started. */
function serverOf(tool: string, log: string) {
  const code = `
    require("node:fs").appendFileSync(${JSON.stringify(log)}, "start\\n");
    const tell = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === "initialize") tell(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
      else if (method === "tools/list") tell(id, { tools: [{ name: ${JSON.stringify(tool)}, inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] });
      else if (method === "tools/call") tell(id, { content: [{ type: "text", text: ${JSON.stringify(tool)} + " in " + process.cwd() }] });
      else if (id !== undefined) tell(id, {});
    });`;
  return { command: process.execPath, args: ["-e", code], trustAnnotations: true };
}

function project(machine: ReturnType<typeof newMachine>, name: string) {
  const cwd = join(machine.home, name);
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const log = join(machine.home, `${name}.log`);
  const config = { mcpServers: { [name]: serverOf(`${name}_tool`, log) }, permissions: { allow: ["*"] } };
  writeFileSync(join(cwd, "toolcrib.yaml"), JSON.stringify(config));
  return { cwd, log };
}

async function twoProjects() {
  const machine = newMachine();
  const [a, b] = [project(machine, "alpha"), project(machine, "beta")];
  for (const { cwd } of [a, b]) await runHere(["trust", "--yes"], { cwd, env: machine.env });
  return { machine, a, b };
}

const starts = (log: string): number => statSync(log).size / "start\n".length;

async function until<T>(look: () => Promise<T> | T, isRight: (found: T) => boolean): Promise<T> {
  for (;;) {
    const found = await look();
    if (isRight(found)) return found;
    await shortly();
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test("two projects at once never meet, and two clients of one share its process", async () => {
  const { machine, a, b } = await twoProjects();
  const [first, second, other] = await Promise.all([
    connectClient(machine, { cwd: a.cwd }),
    connectClient(machine, { cwd: a.cwd }),
    connectClient(machine, { cwd: b.cwd }),
  ]);
  for (const { client } of [first, second]) {
    await listsUntil(client, (tools) => tools.includes("alpha__alpha_tool"));
    expect(await names(client)).not.toContain("beta__beta_tool");
  }
  await listsUntil(other.client, (tools) => tools.includes("beta__beta_tool"));
  expect(await names(other.client)).not.toContain("alpha__alpha_tool");
  const called = await first.client.callTool({ name: "alpha__alpha_tool", arguments: {} });
  expect(JSON.stringify(called.content)).toContain(`alpha_tool in ${a.cwd}`);

  const running = await statusOf(machine, "--all");
  expect(running.map(({ workspace }) => workspace).sort()).toEqual([a.cwd, b.cwd]);
  expect(running.find(({ workspace }) => workspace === a.cwd)?.clients).toHaveLength(2);
  expect([starts(a.log), starts(b.log)]).toEqual([1, 1]);
  const ports = running.map(({ address }) => address);
  expect(new Set(ports).size).toBe(2);

  // Neither a token nor a port of one opens the other.
  const [tokenA, tokenB] = await Promise.all(
    [a, b].map(async ({ cwd }) => /#token=(\S+)/.exec((await runHere(["status"], { cwd, env: machine.env })).out)?.[1]),
  );
  expect(tokenA).not.toBe(tokenB);
  const addressB = running.find(({ workspace }) => workspace === b.cwd)?.address;
  const refused = await fetch(`${addressB}/api/overview`, { headers: { authorization: `Bearer ${tokenA}` } });
  expect(refused.status).toBe(401);
});

test("the client's only root counts more than the folder it was started in", async () => {
  const { machine, a, b } = await twoProjects();
  await startUp({ ...machine, cwd: a.cwd });
  // Some clients start their servers in the home folder.
  const { client } = await connectClient(machine, { cwd: machine.home, roots: [a.cwd] });
  await listsUntil(client, (tools) => tools.includes("alpha__alpha_tool"));
  const { client: wrong } = await connectClient(machine, { cwd: b.cwd, roots: [a.cwd] });
  await listsUntil(wrong, (tools) => tools.includes("alpha__alpha_tool"));
  expect(await names(wrong)).not.toContain("beta__beta_tool");
  const { client: named } = await connectClient(machine, { cwd: b.cwd, roots: [b.cwd], argv: ["--workspace", a.cwd] });
  await listsUntil(named, (tools) => tools.includes("alpha__alpha_tool"));
  expect(starts(a.log)).toBe(1);
});

test("without a project the person's own configuration counts alone", async () => {
  const machine = newMachine();
  const log = join(machine.home, "own.log");
  machine.write("user", JSON.stringify({ mcpServers: { own: serverOf("own_tool", log) } }));
  const bare = join(machine.home, "bare");
  mkdirSync(bare);
  const { client } = await connectClient(machine, { cwd: bare });
  await listsUntil(client, (tools) => tools.includes("own__own_tool"));
  const [running] = await statusOf(machine, "--all");
  expect(running?.workspace).toBe(join(machine.home, ".local", "state", "toolcrib", "no-project"));
});

test("a configuration that changes drops nobody", async () => {
  const { machine, a } = await twoProjects();
  await startUp({ ...machine, cwd: a.cwd });
  const { client } = await connectClient(machine, { cwd: a.cwd });
  await listsUntil(client, (tools) => tools.includes("alpha__alpha_tool"));
  const [before] = await statusOf({ ...machine, cwd: a.cwd });
  const more = serverOf("more_tool", join(machine.home, "more.log"));
  await runHere(["add", "more", "--", more.command, ...more.args], { cwd: a.cwd, env: machine.env });
  await runHere(["trust", "--yes"], { cwd: a.cwd, env: machine.env });
  await listsUntil(client, (tools) => tools.includes("more__more_tool"));
  const [after] = await statusOf({ ...machine, cwd: a.cwd });
  expect(after?.pid).toBe(before?.pid);
  expect(after?.clients).toHaveLength(1);
});

test("one that is killed is started again behind its client, over what it left behind", async () => {
  const { machine, a } = await twoProjects();
  const { client, said } = await connectClient(machine, { cwd: a.cwd });
  await listsUntil(client, (tools) => tools.includes("alpha__alpha_tool"));
  const here = { ...machine, cwd: a.cwd };
  const [before] = await statusOf(here);
  process.kill(before?.pid ?? 0, "SIGKILL");
  await until(said, (text) => text.includes("starting it again"));
  await listsUntil(client, (tools) => tools.includes("alpha__alpha_tool"));
  const [after] = await statusOf(here);
  expect(after?.pid).not.toBe(before?.pid);
  const called = await client.callTool({ name: "alpha__alpha_tool", arguments: {} });
  expect(called.isError ?? false).toBe(false);
});

test("one that a client started ends without clients, unless up --detach is run meanwhile", async () => {
  const { machine, a } = await twoProjects();
  const here = { ...machine, cwd: a.cwd };
  const { client } = await connectClient(machine, { cwd: a.cwd, argv: ["--idle", "60"] });
  expect((await runHere(["status"], here)).out).toContain("; ends after 1 minute without clients\n");
  const { out } = await runHere(["up", "--detach"], here);
  expect(out).toContain("runs for ~/alpha already");
  expect(out).toContain('It runs until "toolcrib down".\n');
  expect((await runHere(["status"], here)).out).not.toContain("without clients");
  expect(await statusOf(here)).toMatchObject([{ idle: null }]);
  await client.close();
});

test("down ends it and its clients; idle ends it by itself", async () => {
  const { machine, a } = await twoProjects();
  const here = { ...machine, cwd: a.cwd };
  const { client, transport, said } = await connectClient(machine, { cwd: a.cwd });
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  const [running] = await statusOf(here);
  expect(transport.pid).not.toBe(running?.pid);
  expect(await runHere(["down"], here)).toMatchObject({ status: 0, out: expect.stringContaining("~/alpha") });
  await closed;
  expect(said()).toContain("Toolcrib was ended");
  expect(await runHere(["status"], here)).toMatchObject({ status: 1 });
  expect(await runHere(["down"], here)).toMatchObject({ status: 1, err: expect.stringContaining("no Toolcrib runs") });

  const short = await connectClient(machine, { cwd: a.cwd, argv: ["--idle", "0.3"] });
  const [again] = await statusOf(here);
  // Longer than it stays without clients: it must not end while it has one.
  await letTimePass(600);
  expect(await statusOf(here)).toHaveLength(1);
  await short.client.close();
  await until(
    () => isAlive(again?.pid ?? 0),
    (alive) => !alive,
  );
  const notes = join(machine.home, ".local", "state", "toolcrib", "running");
  expect(existsSync(notes)).toBe(true);
  expect(await statusOf(here)).toEqual([]);
});

test("up --detach, and a second up says where the first one is", async () => {
  const { machine, a } = await twoProjects();
  const here = { ...machine, cwd: a.cwd };
  const first = await runBuilt(["up", "--detach", "--json"], here);
  expect(first.status).toBe(0);
  const { pid, isNew } = JSON.parse(first.out);
  const again = JSON.parse((await runBuilt(["up", "--detach", "--json"], here)).out);
  expect([isNew, again]).toEqual([true, expect.objectContaining({ pid, isNew: false })]);
  const second = await runBuilt(["up"], here);
  expect(second.status).toBe(1);
  expect(second.err).toContain(`runs for ${a.cwd} already, as process ${pid}, at http://127.0.0.1:`);
  expect(await runHere(["down", "--workspace", a.cwd], machine)).toMatchObject({ status: 0 });
});

test("a configuration that cannot be used is told to the client", async () => {
  const machine = newMachine({ "toolcrib.yaml": "mode: sideways\n" });
  const child = startCli(["connect"], machine);
  child.stdin?.write(`${JSON.stringify(INITIALIZE)}\n`);
  const { status, out, err } = await finish(child);
  expect(status).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ id: 1, error: { message: expect.stringContaining("toolcrib.yaml:1") } });
  expect(err).toContain("toolcrib.yaml:1");
});

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

test("profiles and flags narrow, policy forbids", async () => {
  const { machine, a } = await twoProjects();
  const { client } = await connectClient(machine, { cwd: a.cwd, argv: ["--exclude", "alpha"] });
  expect(await names(client)).not.toContain("alpha__alpha_tool");
  await expect(connectClient(machine, { cwd: a.cwd, argv: ["--profile", "nobody"] })).rejects.toThrow(
    "no entry of gateway.clients is named",
  );
  const policy = join(machine.home, "policy.yaml");
  writeFileSync(policy, "policy: { connect: deny }\n");
  const env = { TOOLCRIB_POLICY: policy };
  await expect(connectClient(machine, { cwd: a.cwd, env })).rejects.toThrow("another TOOLCRIB_POLICY");
  await runHere(["down"], { cwd: a.cwd, env: machine.env });
  await expect(connectClient(machine, { cwd: a.cwd, env })).rejects.toThrow(/managed policy forbids .*policy\.yaml:1/);
});

test("one of another version is attached to, and the difference is reported", async () => {
  const machine = newMachine();
  const older = join(machine.home, "older");
  for (const part of ["bin", "dist"]) cpSync(join(ROOT, part), join(older, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(older, "node_modules"));
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  writeFileSync(join(older, "package.json"), JSON.stringify({ ...manifest, version: "0.0.1" }));
  const { cwd, env } = machine;
  const argv = [join(older, "bin", "toolcrib.js"), "up", "--detach", "--port", "0"];
  const started = await finish(spawn(process.execPath, argv, { cwd, env: { ...process.env, ...env } }));
  expect(started.status, started.err).toBe(0);
  const { client, said } = await connectClient(machine);
  expect((await names(client)).length).toBeGreaterThan(0);
  expect(said()).toContain(`it is version 0.0.1, and this is ${manifest.version}; "toolcrib down" ends it`);
  expect((await statusOf(machine))[0]?.version).toBe("0.0.1");
});

test("the socket is its owner's alone", async () => {
  const { machine, a } = await twoProjects();
  await startUp({ ...machine, cwd: a.cwd });
  const state = join(machine.home, ".local", "state", "toolcrib");
  const [note = ""] = readdirSync(join(state, "running")).filter((name) => name.endsWith(".json"));
  const { socket } = JSON.parse(readFileSync(join(state, "running", note), "utf8"));
  const folder = dirname(realpathSync(socket));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  // Where temporary folders have long names, the address of a socket in there would be too long.
  const usual = join(state, "run");
  if (usual.length < 60) expect(folder).toBe(usual);
  expect(folder.startsWith(a.cwd)).toBe(false);
});

test("a workspace that is not there, and nothing to end, are said in words", async () => {
  const machine = newMachine();
  const argv = ["--workspace", join(machine.home, "nowhere")];
  await expect(connectClient(machine, { argv })).rejects.toThrow("is its folder there?");
  const { status, err } = await runHere(["down", "--all"], machine);
  expect([status, err]).toEqual([1, "toolcrib: no Toolcrib runs\n"]);
});
