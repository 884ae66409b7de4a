import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { runCli } from "../../../../test/support/run-cli.ts";
import { findKeptPolicy } from "./kept-policy.ts";

const RULES = 'permissions:\n  deny: ["Bash(rm:*)"]\n';
const TOKEN = "a-secret-of-twenty-chars";

/** A machine on which one hook has judged. */
async function keeping(files: Readonly<Record<string, string>> = {}) {
  const machine = createWorkspace({ user: RULES, ...files });
  const { home, cwd, policy } = machine;
  const env = { HOME: home, TOOLCRIB_POLICY: files.policy === undefined ? "" : policy, A_TOKEN: TOKEN, PATH: "" };
  const call = { tool_name: "Bash", tool_input: { command: "rm a" } };
  const stdin = JSON.stringify({ hook_event_name: "PreToolUse", cwd, ...call });
  const hook = () => runCli(["hook", "claude-code"], { cwd, env, stdin });
  const first = await hook();
  const folder = join(home, ".local", "state", "toolcrib", "guard", "kept");
  const [name = ""] = readdirSync(folder);
  return { ...machine, env, hook, first, folder, file: join(folder, name), find: () => findKeptPolicy({ cwd, env }) };
}

test("a hook keeps what it judged by, for its owner alone", async () => {
  const { find, folder, file, cwd, first } = await keeping();
  expect(first.out).toContain('"deny"');
  const kept = await find();
  expect(kept?.config.permissions.deny.map(({ value }) => value.text)).toEqual(["Bash(rm:*)"]);
  expect(kept).toMatchObject({ workspace: cwd, grants: [] });
  expect([folder, dirname(folder), file].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700, 0o600]);
});

const SERVER = `mcpServers:\n  github: { command: github-server, env: { TOKEN: "\${A_TOKEN}" } }\n${RULES}`;

test("without the secrets of its sources", async () => {
  const { find, file } = await keeping({ user: SERVER });
  expect(JSON.stringify([...((await find())?.config.servers.values() ?? [])].map(({ name }) => name))).toBe(
    '["github"]',
  );
  expect(readFileSync(file).includes(TOKEN)).toBe(false);
  expect(readFileSync(file).includes("Bash(rm")).toBe(false);
});

type Machine = Awaited<ReturnType<typeof keeping>>;

const CHANGES: readonly (readonly [what: string, change: (machine: Machine) => void])[] = [
  ["the person's rules change", ({ write }) => write("user", RULES.replace("rm", "mv"))],
  ["they are gone", ({ home }) => unlinkSync(join(home, ".config/toolcrib/config.yaml"))],
  ["the project has a file now", ({ write }) => write("toolcrib.yaml", "permissions: {}\n")],
  ["a local file comes", ({ write }) => write("toolcrib.local.yaml", "permissions: {}\n")],
  [
    "Claude's settings change",
    ({ write }) => write(".claude/settings.json", '{"permissions":{"deny":["Bash(ls:*)"]}}'),
  ],
  ["the workspace is trusted", ({ home }) => writeFileSync(join(home, ".config/toolcrib/trusted.json"), "{}")],
  ["somebody approved something", ({ home }) => writeFileSync(join(home, ".config/toolcrib/grants.json"), "{}")],
  ["the project has approvals", ({ write }) => write(".toolcrib/grants.json", "{}")],
  ["the machine's policy changes", ({ write }) => write("policy", 'permissions: { deny: ["Bash(mv:*)"] }\n')],
  ["a plugin comes", ({ write }) => write(".toolcrib/plugins/one/toolcrib.yaml", "permissions: {}\n")],
  ["a store of approvals comes", ({ home, cwd }) => makeStore(home, cwd)],
];

test.each(CHANGES)("it does not count when %s", async (_, change) => {
  const machine = await keeping({ policy: "permissions: {}\n" });
  expect(await machine.find()).not.toBeNull();
  change(machine);
  expect(await machine.find()).toBeNull();
});

test("it does not count when a variable that it was made of changes", async () => {
  const { env, cwd } = await keeping({ user: SERVER });
  expect(await findKeptPolicy({ cwd, env })).not.toBeNull();
  expect(await findKeptPolicy({ cwd, env: { ...env, UNRELATED: "1" } })).not.toBeNull();
  expect(await findKeptPolicy({ cwd, env: { ...env, A_TOKEN: "another-one" } })).toBeNull();
});

test.each([
  ["others can read it", ({ file }: Machine) => chmodSync(file, 0o644)],
  ["others can write it", ({ file }: Machine) => chmodSync(file, 0o620)],
  ["others can enter its folder", ({ folder }: Machine) => chmodSync(folder, 0o755)],
  ["others can enter the folder above", ({ folder }: Machine) => chmodSync(dirname(folder), 0o770)],
  ["it is a link", ({ file }: Machine) => toLink(file)],
  ["it is empty", ({ file }: Machine) => writeFileSync(file, "")],
  ["it is cut short", ({ file }: Machine) => writeFileSync(file, readFileSync(file).subarray(0, -1))],
  ["it says something else", ({ file }: Machine) => writeFileSync(file, "{}\n{}")],
  ["its list of sources is cut", ({ file }: Machine) => withoutSources(file)],
])("it does not count when %s", async (_, spoil) => {
  const machine = await keeping();
  spoil(machine);
  expect(await machine.find()).toBeNull();
});

test("it goes with the last guard", async () => {
  const { home, cwd, env, folder, file } = await keeping();
  mkdirSync(join(home, ".claude"));
  const guard = (word: string) =>
    runCli(["guard", word, "claude-code"], { cwd, env: { ...env, PATH: "/usr/bin:/bin" } });
  await guard("install");
  expect(existsSync(file)).toBe(true);
  expect((await guard("remove")).status).toBe(0);
  expect(existsSync(folder)).toBe(false);
});

test("no byte of it can change", async () => {
  const { file, find } = await keeping();
  const whole = readFileSync(file);
  for (let at = 0; at < whole.length; at += 97) {
    const spoilt = Buffer.from(whole);
    spoilt[at] = (spoilt[at] ?? 0) ^ 0x40;
    writeFileSync(file, spoilt);
    expect(await find()).toBeNull();
  }
});

function toLink(file: string): void {
  const beside = `${file}.there`;
  writeFileSync(beside, readFileSync(file), { mode: 0o600 });
  unlinkSync(file);
  symlinkSync(beside, file);
}

/** So that nobody would look at what has changed. */
function withoutSources(file: string): void {
  const bytes = readFileSync(file);
  const head = JSON.stringify({ files: [], variables: [], stamps: [] });
  writeFileSync(file, Buffer.concat([Buffer.from(head), bytes.subarray(bytes.indexOf("\n"))]));
}

function makeStore(home: string, cwd: string): void {
  const sessions = join(home, ".local", "state", "toolcrib", "sessions");
  const [folder = ""] = readdirSync(join(home, ".local", "state", "toolcrib", "audit"));
  mkdirSync(join(sessions, folder), { recursive: true });
  writeFileSync(join(sessions, folder, "sessions.db"), "");
  expect(cwd).toContain(home);
}
