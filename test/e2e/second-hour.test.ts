import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { ServerView } from "../../src/surfaces/http/api/api.ts";
import { ensureBuilt } from "../support/built-cli.ts";
import { misbehaving } from "../support/mcp-sources.ts";
import { newMachine, runHere } from "../support/running-up.ts";

beforeAll(ensureBuilt, 300_000);

const SECRET = "ghp_0123456789abcdefghij";
const node = (code: string) => ({ command: process.execPath, args: ["-e", code] });

/** Five ways not to work, and what has to be said of each. */
const BROKEN = {
  noisy: [node("console.log('Hello! Server ready'); setInterval(() => {}, 1000)"), 'it wrote: "Hello! Server ready"'],
  page: [{ type: "http", url: "" }, "answered with a web page"],
  fetched: [{ command: "npx", args: ["-y", "acme"] }, 'It said last: "npm error 404 Not Found - GET http://host/acme"'],
  crash: [node("throw new Error('no licence')"), 'It said last: "Error: no licence"'],
  missing: [{ command: "no-such-program-anywhere" }, 'no program "no-such-program-anywhere"'],
} as const;

/** What npx prints where it finds no package. */
const NPX = `#!/bin/sh
echo 'npm error code E404' >&2
echo 'npm error 404 Not Found - GET http://host/acme' >&2
echo 'npm error A complete log of this run can be found in: /log' >&2
exit 1
`;

async function startPage(): Promise<string> {
  const server = createServer((_, response) => void response.setHeader("content-type", "text/html").end("<p>Hi"));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // It listens on an address.
}

/** A project with a server that has a key, one that will get its key later, and the broken ones, all in `.mcp.json`. */
async function newProject() {
  const machine = newMachine();
  const needs = (name: string) => join(machine.home, `needs-${name}.cjs`);
  for (const name of ["GITHUB_TOKEN", "LATER_KEY"])
    writeFileSync(
      needs(name),
      `if (!process.env.${name}) throw new Error("no ${name}");\nrequire(${JSON.stringify(misbehaving().args?.[0])});\n`,
    );
  const broken = Object.entries(BROKEN).map(([name, [server]]) => [name, server] as const);
  const servers = {
    keyed: { command: process.execPath, args: [needs("GITHUB_TOKEN")], env: { GITHUB_TOKEN: SECRET } },
    later: { command: process.execPath, args: [needs("LATER_KEY")], env: { LATER_KEY: "${LATER_KEY}" } },
    ...Object.fromEntries(broken),
    page: { type: "http", url: await startPage() },
  };
  machine.write(".mcp.json", JSON.stringify({ mcpServers: servers }, null, 2));
  const programs = join(machine.home, "bin");
  machine.write("../bin/npx", NPX);
  chmodSync(join(programs, "npx"), 0o755);
  const env = { ...machine.env, PATH: `${programs}:${process.env.PATH}` };
  const cli = (...argv: readonly string[]) => runHere(argv, { cwd: machine.cwd, env });
  return { machine, cli, exported: { ...env, LATER_KEY: "now" } };
}

test("the second hour: keys, a variable, an API, broken servers, why, and an edit with a slip", {
  timeout: 300_000,
}, async () => {
  const { machine, cli, exported } = await newProject();
  onTestFinished(async () => void (await cli("down", "--all")));
  const flat = ({ out, err }: { readonly out: string; readonly err: string }) => `${out} ${err}`.replace(/\s+/g, " ");
  const servers = async (): Promise<readonly ServerView[]> =>
    JSON.parse((await cli("servers", "--json", "--timeout", "2")).out).servers;
  const state = async (name: string) => (await servers()).find((server) => server.name === name)?.state;

  // Servers with keys move, and those that worked work.
  const up = await cli("up", "--detach", "--port", "0", "--write", "claude", "--move");
  expect(up.status, up.err).toBe(0);
  const [, inspector = "", token = ""] = /Inspector\s+(\S+)#token=(\S+)/.exec(up.out) ?? [];
  expect(readFileSync(join(machine.cwd, "toolcrib.yaml"), "utf8")).not.toContain(SECRET);
  await cli("trust", "--yes");
  await expect.poll(() => state("keyed"), { timeout: 60_000 }).toBe("connected");

  // A variable that is exported later counts after the command that every answer names.
  expect(flat(await cli("status"))).toContain("Set LATER_KEY in your shell, then run: toolcrib servers restart later");
  const restarted = await runHere(["servers", "restart", "later"], { cwd: machine.cwd, env: exported });
  expect(flat(restarted)).toMatch(/later connected .*It has LATER_KEY of this shell/);

  // An API joins the servers that are there.
  const before = (await servers()).map(({ name }) => name);
  const paths = { "/pets": { get: { operationId: "listPets", responses: { 200: { description: "ok" } } } } };
  machine.write("pets.json", JSON.stringify({ openapi: "3.0.0", info: { title: "Pets", version: "1" }, paths }));
  expect((await cli("add", "--trust", "pets", "--openapi", "pets.json", "http://127.0.0.1:9/v1")).out).toContain(
    "Changed toolcrib.yaml",
  );
  await expect.poll(() => state("pets"), { timeout: 60_000 }).toBe("connected");
  expect((await servers()).map(({ name }) => name)).toEqual(expect.arrayContaining(before));

  // Each broken server explains itself, on the command line and on the page, there with its command or address and its line.
  const headers = { authorization: `Bearer ${token}` };
  const page = async (): Promise<readonly ServerView[]> =>
    (await fetch(`${inspector}api/servers`, { headers })).json() as Promise<readonly ServerView[]>; // As the page gets it.
  for (const [name, [, said]] of Object.entries(BROKEN)) {
    const says = async (rows: Promise<readonly ServerView[]>) => {
      const row = (await rows).find((server) => server.name === name);
      return `${row?.reason} ${row?.next}`;
    };
    await expect.poll(() => says(servers()), { timeout: 60_000 }).toContain(said);
    await expect.poll(() => says(page()), { timeout: 60_000 }).toContain(said);
    expect((await page()).find((server) => server.name === name)).toMatchObject({
      from: expect.stringMatching(/^toolcrib\.yaml:\d+$/),
      shows: [{ path: name === "page" ? "url" : "runs", value: expect.any(String) }],
    });
  }

  // A change that cannot be used is seen until it is mended.
  const yaml = readFileSync(join(machine.cwd, "toolcrib.yaml"), "utf8");
  machine.write("toolcrib.yaml", `${yaml}\nexclude_tools: [x]\n`);
  await expect
    .poll(async () => flat(await cli("status")), { timeout: 60_000 })
    .toContain('unknown key "exclude_tools"');
  machine.write("toolcrib.yaml", yaml);
  await expect.poll(async () => flat(await cli("status")), { timeout: 60_000 }).not.toContain("exclude_tools");

  // Why has one answer, with and without a running Toolcrib, and says whose it is.
  const questions = [
    ["why", "bash"],
    ["why", "bash", "--client", "claude-code"],
    ["why", "keyed/echo"],
  ];
  const ask = () => Promise.all(questions.map((argv) => runHere(argv, { cwd: machine.cwd, env: exported })));
  const beside = await ask();
  await cli("down");
  const alone = await ask();
  expect(alone.map(({ status, out }) => [status, out])).toEqual(beside.map(({ status, out }) => [status, out]));
  expect(beside.map(({ err }) => err.split("\n")[0])).toEqual(alone.map(({ err }) => err.split("\n")[0]));
  expect(alone.map(({ status, err }) => [status, err.split(";")[0]])).toEqual([
    [0, 'As "toolcrib run" gets it'],
    [1, 'As the client "claude-code" gets it'],
    [0, 'As "toolcrib run" gets it'],
  ]);
});
