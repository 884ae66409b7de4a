import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { misbehaving } from "../support/mcp-sources.ts";
import { newMachine, runHere } from "../support/running-up.ts";

const TOKEN = "ghp_0123456789abcdefghij";
const OPTIONS = "--max-old-space-size=200";

/** A server that starts only with these variables, and with the key among its arguments. */
function demanding(folder: string): string {
  const script = join(folder, "demanding.cjs");
  const [real = ""] = misbehaving().args ?? [];
  const wanted = JSON.stringify({ GITHUB_TOKEN: TOKEN, NODE_OPTIONS: OPTIONS, REGION: "eu-west-1" });
  writeFileSync(
    script,
    `for (const [name, value] of Object.entries(${wanted})) if (process.env[name] !== value) throw new Error(name);
if (process.argv[2] !== "--api-key=it's \\"quoted\\"") throw new Error("argument");
process.argv.splice(2, 1);
require(${JSON.stringify(real)});
`,
  );
  return script;
}

function entryOf(script: string): object {
  const env = { GITHUB_TOKEN: TOKEN, NODE_OPTIONS: OPTIONS, REGION: "eu-west-1" };
  return { command: process.execPath, args: [script, `--api-key=it's "quoted"`], env };
}

function newProject(side: "project" | "home" = "project") {
  const machine = newMachine();
  const script = demanding(machine.home);
  const text = JSON.stringify({ mcpServers: { every: entryOf(script) } });
  const file = side === "project" ? join(machine.cwd, ".mcp.json") : join(machine.home, ".claude.json");
  writeFileSync(file, text);
  // A shell that has another key under the same name must not change which one the server gets.
  const env = { ...machine.env, GITHUB_TOKEN: "another-key-of-the-shell" };
  const cli = (...argv: readonly string[]) => runHere(argv, { cwd: machine.cwd, env });
  const keys = join(machine.home, ".config", "toolcrib", "keys");
  return {
    ...{ machine, file, text, cli, keys },
    keysFile: () => join(keys, readdirSync(keys)[0] ?? ""),
    state: async () => JSON.parse((await cli("servers", "every", "--json")).out).servers[0]?.state,
  };
}

test("up --move: a server with keys works afterwards, its keys are the person's alone, and --undo restores all", async () => {
  const { machine, file, text, cli, keysFile, state } = newProject();
  onTestFinished(async () => void (await cli("down")));
  const moved = await cli("up", "--detach", "--port", "0", "--write", "claude", "--move");
  expect(moved.out).toContain("Put EVERY_API_KEY, GITHUB_TOKEN into ~/.config/toolcrib/keys/");
  expect(moved.out).not.toContain("Set these");
  await cli("down");
  const yaml = readFileSync(join(machine.cwd, "toolcrib.yaml"), "utf8");
  expect(parse(yaml).mcpServers.every.env).toEqual({
    ...{ GITHUB_TOKEN: "${GITHUB_TOKEN}", NODE_OPTIONS: OPTIONS, REGION: "eu-west-1" },
  });
  expect(yaml + moved.out + moved.err).not.toMatch(/ghp_|quoted/);
  expect(statSync(keysFile()).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(keysFile())).mode & 0o777).toBe(0o700);
  const trusted = await cli("trust", "--yes");
  expect(trusted.out).toContain(`env.NODE_OPTIONS: ${OPTIONS}`);
  expect(trusted.out + trusted.err).not.toMatch(/ghp_|quoted/);
  expect(await state()).toBe("connected");

  const written = keysFile();
  expect((await cli("up", "--undo")).status).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(text);
  expect([existsSync(written), existsSync(join(machine.cwd, "toolcrib.yaml"))]).toEqual([false, false]);
});

test("--undo keeps a file of keys that somebody has changed since", async () => {
  const { cli, keysFile } = newProject();
  onTestFinished(async () => void (await cli("down")));
  await cli("up", "--detach", "--port", "0", "--write", "claude", "--move");
  await cli("down");
  const written = keysFile();
  writeFileSync(written, `${readFileSync(written, "utf8")}MINE=1\n`);
  const { out } = await cli("up", "--undo");
  expect(out).toMatch(/keys\/.*\.env has been changed since, so it stays as it is/);
  expect(readFileSync(written, "utf8")).toContain("MINE=1");
});

test("init: a server with keys works afterwards, in the project and in the person's own file", async () => {
  const project = newProject();
  const { out } = await project.cli("init");
  expect(out).toMatch(/Put EVERY_API_KEY, GITHUB_TOKEN into ~\/.config\/toolcrib\/keys\/\S+, which only you may read/);
  await project.cli("trust", "--yes");
  expect(await project.state()).toBe("connected");

  const own = newProject("home");
  const config = join(own.machine.home, ".config", "toolcrib", "config.yaml");
  expect((await own.cli("init", "--config", config)).out).toContain("into ~/.config/toolcrib/keys.env");
  expect(statSync(join(dirname(config), "keys.env")).mode & 0o777).toBe(0o600);
  expect(readFileSync(config, "utf8")).not.toMatch(/ghp_|quoted/);
  expect(await own.state()).toBe("connected");
});

test("init --dry-run writes no keys, and shows none", async () => {
  const { cli, keys } = newProject();
  const { out, err } = await cli("init", "--dry-run");
  expect(err).toContain("Would put EVERY_API_KEY, GITHUB_TOKEN into");
  expect(out + err).not.toMatch(/ghp_|quoted/);
  expect(existsSync(keys)).toBe(false);
});

test("a second server with another key under the same name gets its own, and the first keeps its", async () => {
  const { machine, cli, file, keysFile, state } = newProject();
  await cli("init");
  const other = { command: "x", env: { GITHUB_TOKEN: "ghp_another0123456789abc" } };
  writeFileSync(file, JSON.stringify({ mcpServers: { other } }));
  expect((await cli("init")).out).toContain("Put OTHER_GITHUB_TOKEN into");
  const yaml = parse(readFileSync(join(machine.cwd, "toolcrib.yaml"), "utf8"));
  expect(yaml.mcpServers.other.env).toEqual({ GITHUB_TOKEN: "${OTHER_GITHUB_TOKEN}" });
  expect(readFileSync(keysFile(), "utf8")).toContain("OTHER_GITHUB_TOKEN='ghp_another");
  await cli("trust", "--yes");
  expect(await state()).toBe("connected");
});

test("keys that others may read are not used, and the notice says what to do", async () => {
  const { cli, keysFile, state } = newProject();
  await cli("init");
  await cli("trust", "--yes");
  chmodSync(keysFile(), 0o644);
  expect(await state()).toBe("failed");
  expect((await cli("servers")).err).toMatch(/keys in \S+ are not used: others may read or change it; run "chmod 600/);
});

test("no repository gets the keys of another: not by name, not by a link, not by its own folder of settings", async () => {
  const { machine, cli, keysFile } = newProject();
  await cli("init");
  const thief = join(machine.home, "thief");
  mkdirSync(join(thief, ".config", "toolcrib", "keys"), { recursive: true });
  const taking = { command: "node", env: { X: "${GITHUB_TOKEN}" } };
  const servers = {
    ...{ named: { ...taking, envFile: keysFile() }, linked: { ...taking, envFile: "linked.env" }, bare: taking },
  };
  symlinkSync(keysFile(), join(thief, "linked.env"));
  writeFileSync(join(thief, "toolcrib.yaml"), JSON.stringify({ mcpServers: servers }));
  const there = (...argv: readonly string[]) => runHere(argv, { cwd: thief, env: machine.env });
  await there("trust", "--yes");
  const { out } = await there("servers", "--json");
  const rows: { readonly name: string; readonly text?: string; readonly state: string }[] = JSON.parse(out).servers;
  for (const name of Object.keys(servers)) expect(rows.find((row) => row.name === name)?.state).toBe("failed");
  expect(out).toContain("${GITHUB_TOKEN} is not set");
  expect(out).not.toContain(TOKEN);
});

test("where the person's settings lie in the workspace, no keys are written there", async () => {
  const { machine } = newProject();
  const env = { ...machine.env, XDG_CONFIG_HOME: join(machine.cwd, "settings") };
  const { out } = await runHere(["init"], { cwd: machine.cwd, env });
  expect(out).toMatch(/Set these in the environment:\n {2}EVERY_API_KEY/);
  expect(existsSync(join(machine.cwd, "settings", "toolcrib", "keys"))).toBe(false);
});
