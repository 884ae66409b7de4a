import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { createMachine, runCli } from "../../../test/support/run-cli.ts";
import { fileReaders } from "../layers/readers.ts";
import { describeTrust, loadConfig, trustWorkspace } from "../load-config.ts";
import { loadTrust } from "./trust-store.ts";

const PROJECT = `tools: [{ name: t, use: "./t.js:t" }]
mcpServers:
  github: { url: "https://x" }
extensions: [{ name: e, command: node }]
permissions: { mode: accept-edits, allow: ["Bash(git log:*)"], deny: [web], ask: [edit] }
hooks: { preToolUse: [{ command: ./audit.sh }] }
sandbox: { allowHostShell: true }
agents: [{ name: a, tools: [view], mcpServers: { own: { command: x } } }]
toolOverrides: { bash: { timeout: 5, traits: { readOnly: true } } }
store: { url: "postgres://elsewhere/db" }
gateway: { host: 0.0.0.0, port: 9000, clients: [{ token: t, agent: a }] }
excludeTools: [bash]
`;
const LEFT_OUT = [
  "t",
  "github",
  "e",
  "permissions.mode",
  "Bash(git log:*)",
  "./audit.sh",
  "sandbox.allowHostShell",
  "own",
  "bash",
  "store.url",
  "gateway.host",
  "gateway.port",
  "a",
];

describe.each(["toolcrib.yaml", "toolcrib.local.yaml"])("in an untrusted workspace %s", (file) => {
  test("starts nothing and allows nothing, and says so", async () => {
    const config = await createWorkspace({ [file]: PROJECT }).load();
    expect(config.trust.state).toBe("untrusted");
    expect(config.tools).toEqual([]);
    expect(config.servers.size).toBe(0);
    expect(config.extensions).toEqual([]);
    expect(config.hooks.get("preToolUse") ?? []).toEqual([]);
    expect(config.permissions).toMatchObject({ mode: { value: "default" }, allow: [] });
    expect(config.sandbox.allowHostShell.value).toBe(false);
    expect(config.agents.get("a")?.servers.size).toBe(0);
    expect(config.toolOverrides.size).toBe(0);
    expect(config.store.url.value).toBe("sqlite:");
    expect(config.gateway).toMatchObject({ host: { value: "127.0.0.1" }, port: { value: 8787 }, clients: [] });
    expect(config.notices).toHaveLength(1);
    expect(config.notices[0]).toMatchObject({ level: "warning", code: "config.untrusted", origin: { file, line: 1 } });
    expect([...(config.notices[0]?.names ?? [])].sort()).toEqual([...LEFT_OUT].sort());
    expect(config.notices[0]?.text).toContain(`server github (${file}:3)`);
    expect(config.notices[0]?.text).toContain("toolcrib trust");
  });

  test("still restricts", async () => {
    const config = await createWorkspace({ [file]: PROJECT }).load();
    expect(config.permissions.deny).toHaveLength(1);
    expect(config.permissions.ask).toHaveLength(1);
    expect(config.excludeTools.value).toHaveLength(1);
    expect(config.agents.get("a")?.tools?.value).toHaveLength(1);
  });
});

describe("trusting a workspace", () => {
  test("shows first what it enables, then enables it", async () => {
    const workspace = createWorkspace({ "toolcrib.yaml": PROJECT });
    const before = await describeTrust(workspace.input());
    expect(before).toMatchObject({ workspace: workspace.cwd, state: "untrusted" });
    expect(before.items.map(({ what, name }) => `${what} ${name}`)).toContain("allow rule Bash(git log:*)");
    expect((await trustWorkspace(workspace.input())).state).toBe("trusted");
    const config = await workspace.load();
    expect(config.notices).toEqual([]);
    expect([...config.servers.keys()]).toEqual(["github"]);
    expect(config.permissions.mode.value).toBe("accept-edits");
    expect(config.tools).toMatchObject([{ use: "./t.js:t", base: workspace.cwd }]);
  });

  test("a server that is added later waits by itself, and the rest goes on", async () => {
    const workspace = createWorkspace({ "toolcrib.yaml": PROJECT });
    await trustWorkspace(workspace.input());
    workspace.write("toolcrib.yaml", PROJECT.replace("mcpServers:", "mcpServers:\n  evil: { command: curl }"));
    const config = await workspace.load();
    expect(config.trust.state).toBe("changed");
    expect([...config.servers.keys()]).toEqual(["github"]);
    expect(config.permissions.mode.value).toBe("accept-edits");
    expect(config.hooks.get("preToolUse")).toMatchObject([{ command: "./audit.sh" }]);
    expect(config.notices[0]).toMatchObject({ names: ["evil"], origin: { file: "toolcrib.yaml", line: 3 } });
    expect(config.notices[0]?.text).toMatch(/more than was trusted; left out: server evil \(toolcrib.yaml:3\)\. Run/);
  });

  test("so is one that changed, in the local file too, and one in an agent file", async () => {
    const workspace = createWorkspace({ "toolcrib.yaml": PROJECT });
    await trustWorkspace(workspace.input());
    workspace.write("toolcrib.yaml", PROJECT.replace("https://x", "https://y"));
    expect((await workspace.load()).trust.state).toBe("changed");
    workspace.write("toolcrib.yaml", PROJECT);
    expect((await workspace.load()).trust.state).toBe("trusted");
    workspace.write("toolcrib.local.yaml", "mcpServers: { more: { command: x } }");
    expect((await workspace.load()).trust.state).toBe("changed");
    workspace.write("toolcrib.local.yaml", "");
    workspace.write(".claude/agents/a.md", "---\nname: b\nmcpServers: { more: { command: x } }\n---\n");
    const config = await workspace.load({ agent: "b" });
    expect(config.trust.state).toBe("changed");
    expect(config.agents.get("b")?.servers.size).toBe(0);
  });

  test("asking for less, or moving lines, needs no new trust", async () => {
    const workspace = createWorkspace({ "toolcrib.yaml": PROJECT });
    await trustWorkspace(workspace.input());
    workspace.write("toolcrib.yaml", `# comment\n\n${PROJECT.replace(/extensions.*\n/, "")}`);
    expect((await workspace.load()).trust.state).toBe("trusted");
  });

  test("is by real path, so a link to the workspace is the workspace", async () => {
    const workspace = createWorkspace({ "toolcrib.yaml": PROJECT });
    await trustWorkspace(workspace.input());
    const link = join(workspace.home, "link");
    symlinkSync(workspace.cwd, link);
    expect((await loadConfig({ ...workspace.input(), cwd: link })).trust.state).toBe("trusted");
  });

  test("keeps other workspaces, and a broken list trusts nothing", async () => {
    const workspace = createWorkspace({
      "toolcrib.yaml": PROJECT,
      "sub/.git/x": "",
      "sub/toolcrib.yaml": "mcpServers: { a: { command: b } }",
    });
    await trustWorkspace(workspace.input());
    await trustWorkspace({ ...workspace.input(), cwd: join(workspace.cwd, "sub") });
    const places = { home: workspace.home, env: {} };
    expect([...(await loadTrust(places, fileReaders)).keys()]).toEqual([workspace.cwd, join(workspace.cwd, "sub")]);
    const store = join(workspace.home, ".config", "toolcrib", "trusted.json");
    expect(JSON.parse(readFileSync(store, "utf8"))).toMatchObject({ version: 2 });
    for (const text of ["{", "[]", '{"workspaces":3}', '{"workspaces":{"/x":null}}', '{"__proto__":{"polluted":1}}']) {
      writeFileSync(store, text);
      expect((await loadTrust(places, fileReaders)).size).toBe(0);
      expect((await workspace.load()).trust.state).toBe("untrusted");
    }
  });
});

test("the user's own file, a file named on the command line and policy need no trust", async () => {
  const workspace = createWorkspace({
    user: PROJECT,
    policy: "mcpServers: { p: { command: x } }",
    "other.yaml": "mcpServers: { o: { command: x } }",
  });
  const config = await workspace.load({ config: "other.yaml" });
  expect(config.trust.state).toBe("nothing");
  expect([...config.servers.keys()].sort()).toEqual(["github", "o", "p"]);
});

test("a client without an agent is told by its line, as there is no name for it", async () => {
  const workspace = createWorkspace({ "toolcrib.yaml": "gateway:\n  clients:\n    - { token: t, include: [view] }\n" });
  const { notices } = await workspace.load();
  expect(notices.map(({ text }) => text).join()).toContain("gateway client without a name (toolcrib.yaml:3)");
});

test("harmless values need no trust", async () => {
  const config = await createWorkspace({
    "toolcrib.yaml":
      "permissions: { mode: plan }\nsandbox: { allowHostShell: false }\nstore: { url: 'sqlite:', keep: 30 }\ngateway: { host: localhost, approvals: deny, port: 8787 }\n",
  }).load();
  expect(config.trust.state).toBe("nothing");
  expect(config.permissions.mode.value).toBe("plan");
});

test("an untrusted project cannot take the sandbox away, and may insist on one", async () => {
  const off = createWorkspace({
    user: "sandbox: { allowHostShell: true }",
    "toolcrib.yaml": "sandbox: { shell: off }",
  });
  expect((await off.load()).sandbox.shell.value).toBe("auto");
  const on = createWorkspace({ "toolcrib.yaml": "sandbox: { shell: on }" });
  expect((await on.load()).sandbox.shell.value).toBe("on");
});

test("a project, trusted or not, cannot redefine a name that the user restricts by", async () => {
  const workspace = createWorkspace({
    user: "excludeTools: [bash]\npermissions: { deny: ['Edit(x)'] }",
    "toolcrib.yaml": "toolsets: { bash: [], Edit: [], mine: [view] }\nmcpServers: { a: { command: b } }",
  });
  const config = await workspace.load();
  expect(config.toolsets.map(({ name }) => name)).toEqual(["mine"]);
  expect(config.notices.map(({ names }) => names)).toEqual([["bash", "Edit", "a"]]);
  await trustWorkspace(workspace.input());
  const later = await workspace.load();
  expect(later.toolsets.map(({ name }) => name)).toEqual(["mine"]);
  expect(later.notices.map(({ code }) => code)).toEqual(["config.untrusted", "config.untrusted"]);
});

test("a list of trusted workspaces that cannot be kept is told by its file, and nothing is trusted", async () => {
  const { cwd, home } = createMachine({ "toolcrib.yaml": PROJECT });
  writeFileSync(join(home, ".config"), "in the way");
  const trust = () => runCli(["trust", "--yes"], { cwd, env: { HOME: home } });
  expect(await trust()).toMatchObject({
    status: 1,
    err: expect.stringMatching(
      /\.config\/toolcrib\/trusted\.json could not be written \(ENOTDIR\); nothing was changed/,
    ),
  });
  rmSync(join(home, ".config"));
  expect((await trust()).status).toBe(0);
  expect(statSync(join(home, ".config", "toolcrib")).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, ".config", "toolcrib", "trusted.json")).mode & 0o777).toBe(0o600);
});
