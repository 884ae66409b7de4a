import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../test/support/config-workspace.ts";
import { formatOrigin, type NameList, type Sourced } from "../core/codes/origin.ts";
import { loadConfig, trustWorkspace } from "./load-config.ts";

const shown = (list: NameList | null) => list?.value.map(({ value, origin }) => `${value} @ ${formatOrigin(origin)}`);
const one = (value: Sourced<unknown> | null) => value && [value.value, formatOrigin(value.origin)];

describe("where files are looked for", () => {
  test("without any file the embedded default counts", async () => {
    const config = await createWorkspace().load();
    expect(one(config.permissions.mode)).toEqual(["default", "default"]);
    expect(config.files).toEqual([]);
    expect(config.notices).toEqual([]);
    expect(config.trust.state).toBe("nothing");
  });

  test.each(["toolcrib.yaml", "toolcrib.yml", "toolcrib.json"])("%s is read", async (name) => {
    const config = await createWorkspace({
      [name]: '{\n\t"agent": null,\n\t"excludeTools": [\n\t\t"web"\n\t]\n}',
    }).load();
    expect(shown(config.excludeTools)).toEqual([`web @ ${name}:4`]);
  });

  test("JSON may have comments and commas at the end, as editors allow them", async () => {
    const text =
      '\ufeff// ours\n{\n  // no web\n  "excludeTools": ["web",], /* "a": 1 */\n  "mcpServers": { "h": { "url": "https://h/*x*/" } },\n}';
    const config = await createWorkspace({ "toolcrib.json": text }).load({ config: "toolcrib.json" });
    expect(shown(config.excludeTools)).toEqual(["web @ toolcrib.json:4"]);
    expect(config.servers.get("h")?.transport).toMatchObject({ url: "https://h/*x*/" });
  });

  test("two project files in one folder are an error", async () => {
    const workspace = createWorkspace({ "toolcrib.yaml": "{}", "toolcrib.json": "{}" });
    await expect(workspace.load()).rejects.toMatchObject({
      code: "config.invalid",
      message: expect.stringContaining("keep one of them"),
    });
  });

  test("a parent's file counts up to the root of the repository, and the nearest folder wins", async () => {
    const workspace = createWorkspace({ "toolcrib.yaml": "excludeTools: [a]" });
    const cwd = join(workspace.cwd, "packages", "one");
    mkdirSync(cwd, { recursive: true });
    const far = await loadConfig({ ...workspace.input(), cwd });
    expect(shown(far.excludeTools)).toEqual(["a @ ~/work/toolcrib.yaml:1"]);
    workspace.write("packages/toolcrib.yaml", "excludeTools: [b]");
    expect((await loadConfig({ ...workspace.input(), cwd })).excludeTools.value.map(({ value }) => value)).toEqual([
      "b",
    ]);
    writeFileSync(join(workspace.home, "toolcrib.yaml"), "excludeTools: [c]");
    rmSync(join(workspace.cwd, "packages", "toolcrib.yaml"));
    expect((await loadConfig({ ...workspace.input(), cwd })).excludeTools.value.map(({ value }) => value)).toEqual([
      "a",
    ]);
  });

  test("outside a repository and the home folder parents do not count", async () => {
    const workspace = createWorkspace();
    writeFileSync(join(workspace.root, "toolcrib.yaml"), "excludeTools: [evil]");
    const cwd = join(workspace.root, "scratch");
    mkdirSync(cwd);
    expect((await loadConfig({ ...workspace.input(), cwd })).files).toEqual([]);
  });

  test("XDG_CONFIG_HOME moves the user's file, and a relative value is ignored", async () => {
    const workspace = createWorkspace({ user: "wireNames: server-tool" });
    const moved = join(workspace.root, "xdg");
    mkdirSync(join(moved, "toolcrib"), { recursive: true });
    writeFileSync(join(moved, "toolcrib", "config.yaml"), "wireNames: mcp__server__tool");
    expect((await workspace.load({}, { XDG_CONFIG_HOME: moved })).wireNames.value).toBe("mcp__server__tool");
    expect((await workspace.load({}, { XDG_CONFIG_HOME: "xdg" })).wireNames.value).toBe("server-tool");
  });

  test("--config takes the place of the project's files, and must exist", async () => {
    const workspace = createWorkspace({ "toolcrib.yaml": "excludeTools: [a]", "other.yaml": "excludeTools: [b]" });
    const config = await workspace.load({ config: "other.yaml" });
    expect(shown(config.excludeTools)).toEqual(["b @ other.yaml:1"]);
    await expect(workspace.load({ config: "gone.yaml" })).rejects.toMatchObject({
      code: "config.not-found",
      message: "gone.yaml: there is no such file",
      names: ["gone.yaml"],
    });
  });

  test("a folder in place of a file cannot be read", async () => {
    const workspace = createWorkspace({ "folder/x": "" });
    await expect(workspace.load({ config: "folder" })).rejects.toMatchObject({ code: "config.not-found" });
  });
});

describe("merging layers", () => {
  const LAYERS = ["policy", "flags", "toolcrib.local.yaml", "toolcrib.yaml", "user"];

  test("of a scalar the highest layer wins, whatever layers there are", async () => {
    const modes = ["plan", "default", "dont-ask", "accept-edits", "bypass"];
    for (let top = 0; top < LAYERS.length; top += 1) {
      const workspace = createWorkspace();
      for (let at = top; at < LAYERS.length; at += 1) {
        const name = LAYERS[at] ?? "";
        if (name !== "flags") workspace.write(name, `wireNames: server-tool\npermissions:\n  mode: ${modes[at]}\n`);
      }
      await trustWorkspace(workspace.input());
      const config = await workspace.load(top <= 1 ? { mode: modes[1] } : {});
      expect(config.permissions.mode.value).toBe(modes[top]);
    }
  });

  test("excludeTools, deny, ask, disabledSkills and default exclusions are united, without repetition", async () => {
    const say = (name: string) =>
      `excludeTools: [both, ${name}]\ndisabledSkills: [${name}]\npermissions: { deny: [${name}], ask: [${name}] }\ndefaultAgent: { excludedTools: [${name}] }`;
    const config = await createWorkspace({
      policy: say("policy"),
      "toolcrib.local.yaml": say("local"),
      "toolcrib.yaml": say("project"),
      user: say("user"),
    }).load({ exclude: ["flag"] });
    const all = ["policy", "local", "project", "user"];
    expect(config.excludeTools.value.map(({ value }) => value)).toEqual([
      "both",
      "policy",
      "flag",
      "local",
      "project",
      "user",
    ]);
    expect(config.disabledSkills.value.map(({ value }) => value)).toEqual(all);
    expect(config.permissions.deny.map(({ value }) => value.tool)).toEqual(all);
    expect(config.permissions.ask.map(({ value }) => value.tool)).toEqual(all);
    expect(config.defaultAgent.excludedTools.value.map(({ value }) => value)).toEqual(all);
    expect(config.permissions.deny.map(({ origin }) => formatOrigin(origin))).toContain("toolcrib.local.yaml:3");
  });

  test("allow rules are united", async () => {
    const config = await createWorkspace({
      "a.yaml": "permissions: { allow: [view] }",
      user: "permissions: { allow: [grep] }",
    }).load({
      config: "a.yaml",
    });
    expect(config.permissions.allow.map(({ value }) => value.tool)).toEqual(["view", "grep"]);
  });

  test("includeTools and toolGroups are replaced by the highest layer, also by null", async () => {
    const workspace = createWorkspace({
      user: "includeTools: [a, b]\ntoolGroups: [x]",
      "toolcrib.yaml": "availableTools: [c]\ntoolGroups: null",
    });
    await trustWorkspace(workspace.input());
    const config = await workspace.load();
    expect(shown(config.includeTools)).toEqual(["c @ toolcrib.yaml:1"]);
    expect(config.toolGroups).toBeNull();
    expect(shown((await workspace.load({ include: ["d"] })).includeTools)).toEqual(["d @ --include"]);
  });

  test("maps go by key, and a server is replaced whole", async () => {
    const config = await createWorkspace({
      user: "features: { a: true, b: true }\nmcpServers:\n  s: { command: old, args: [x] }\n  t: { url: 'https://t' }\ntoolOverrides: { bash: { timeout: 1, defer: never } }",
      "a.yaml": "features: { b: false }\nmcpServers: { s: { command: new } }\ntoolOverrides: { bash: { timeout: 2 } }",
    }).load({ config: "a.yaml" });
    expect([...config.features].map(([name, { value }]) => [name, value])).toEqual([
      ["b", false],
      ["a", true],
    ]);
    expect(config.servers.get("s")?.transport).toEqual({
      type: "stdio",
      command: "new",
      args: [],
      env: new Map(),
      cwd: null,
    });
    expect(config.servers.get("t")?.transport).toMatchObject({ type: "http", url: "https://t" });
    const override = config.toolOverrides.get("bash");
    expect([one(override?.timeout ?? null), override?.defer?.value]).toEqual([[2, "a.yaml:3"], "never"]);
  });

  test("tools, extensions and agents go by name", async () => {
    const config = await createWorkspace({
      user: "agents: [{ name: r, prompt: user }, { name: s, prompt: user }]\nextensions: [{ name: e, command: user }]",
      "a.yaml": "agents: [{ name: r, prompt: named }]\nextensions: [{ name: e, command: named }]",
    }).load({ config: "a.yaml" });
    expect([...config.agents.values()].map(({ name, prompt }) => [name, prompt])).toEqual([
      ["r", "named"],
      ["s", "user"],
    ]);
    expect(config.extensions.map(({ command }) => command)).toEqual(["named"]);
  });

  test("skill directories are joined, the user's first so that a trusted project's win, and become absolute", async () => {
    const workspace = createWorkspace({
      user: "skillDirectories: [~/skills]",
      "toolcrib.yaml": "skillDirectories: [./skills]",
    });
    expect((await workspace.load()).skillDirectories.map(({ value }) => value)).toEqual([
      join(workspace.home, "skills"),
    ]);
    await trustWorkspace(workspace.input());
    const { skillDirectories } = await workspace.load();
    expect(skillDirectories.map(({ value }) => value)).toEqual([
      join(workspace.home, "skills"),
      join(workspace.cwd, "skills"),
    ]);
  });

  test("hooks of all layers run", async () => {
    const hook = (command: string) =>
      `hooks: { preToolUse: [{ matcher: bash, command: ${command}, timeout: 10, onFailure: block }] }`;
    const config = await createWorkspace({ policy: hook("p"), user: hook("u"), "a.yaml": hook("n") }).load({
      config: "a.yaml",
    });
    expect(config.hooks.get("preToolUse")?.map(({ command }) => command)).toEqual(["p", "n", "u"]);
  });

  test("flags say the same as their keys", async () => {
    const config = await createWorkspace().load({
      agent: "r",
      model: "gpt-5",
      mode: "plan",
      include: ["a"],
      exclude: ["b"],
    });
    expect(one(config.agent)).toEqual(["r", "--agent"]);
    expect(one(config.model)).toEqual([{ provider: null, id: "gpt-5" }, "--model"]);
    expect(one(config.permissions.mode)).toEqual(["plan", "--mode"]);
    expect(shown(config.excludeTools)).toEqual(["b @ --exclude"]);
    await expect(createWorkspace().load({ mode: "plann" })).rejects.toMatchObject({
      message:
        '--mode: permissions.mode must be one of default, plan, accept-edits, dont-ask, bypass, autopilot; found "plann"; did you mean "plan"?',
    });
  });
});

test("a toolset with nothing behind it is an empty one, and what is no list is refused with its line", async () => {
  const config = await createWorkspace({ "toolcrib.yaml": "toolsets:\n  none:\n  some: [view]\n" }).load();
  expect(config.toolsets.map(({ name, members }) => [name, shown(members)])).toEqual([
    ["none", []],
    ["some", ["view @ toolcrib.yaml:3"]],
  ]);
  await expect(createWorkspace({ "toolcrib.yaml": "toolsets:\n  none: view\n" }).load()).rejects.toThrow(
    'toolcrib.yaml:2: toolsets.none must be a list, or a map; found "view"',
  );
});

test("every value knows its line", async () => {
  const config = await createWorkspace({
    "toolcrib.yaml": `# comment
excludeTools:
  - web
  - "github/*"
toolsets:
  review:
    - view

    - grep
agents:
  - name: reviewer
    tools: [review]
permissions:
  deny:
    - Bash(rm:*)
toolSearch: { threshold: 5 }
model:
  provider: anthropic
  id: claude-x
toolOverrides:
  "github/create_issue": { timeout: 60000, defer: never }
`,
  }).load({ config: "toolcrib.yaml" });
  expect(formatOrigin(config.excludeTools.origin)).toBe("toolcrib.yaml:2");
  expect(shown(config.excludeTools)).toEqual(["web @ toolcrib.yaml:3", "github/* @ toolcrib.yaml:4"]);
  expect(shown(config.toolsets[0]?.members ?? null)).toEqual(["view @ toolcrib.yaml:7", "grep @ toolcrib.yaml:9"]);
  expect(config.toolsets[0]).toMatchObject({ id: "toolset:review", name: "review" });
  expect(formatOrigin(config.agents.get("reviewer")?.origin ?? { kind: "default" })).toBe("toolcrib.yaml:11");
  expect(shown(config.agents.get("reviewer")?.tools ?? null)).toEqual(["review @ toolcrib.yaml:12"]);
  expect(config.permissions.deny).toMatchObject([{ value: { tool: "Bash", specifier: "rm:*" }, origin: { line: 15 } }]);
  expect(one(config.toolSearch)).toEqual([{ use: "auto", threshold: 5, percent: 10 }, "toolcrib.yaml:16"]);
  expect(one(config.model)).toEqual([{ provider: "anthropic", id: "claude-x" }, "toolcrib.yaml:17"]);
  expect(one(config.toolOverrides.get("github/create_issue")?.timeout ?? null)).toEqual([60000, "toolcrib.yaml:21"]);
});

test("every key of the documented example is carried", async () => {
  const config = await createWorkspace({
    "all.yaml": `tools:
  - { name: read_doc, group: "docs:read", use: "./tools/docs.js:readDoc" }
toolGroups: null
mcpServers:
  github: { type: http, url: "https://x/mcp", headers: { Authorization: "Bearer \${GITHUB_TOKEN}" }, tools: ["*"] }
  files: { type: stdio, command: npx, args: ["-y", "server", "."], timeout: 30000 }
extensions:
  - { name: jira, command: node, args: ["./ext/jira.js"] }
skillToolPolicy: restrict
agents:
  - { name: reviewer, description: "d", prompt: "p", tools: [review], disallowedTools: [], toolGroups: null, mcpServers: {}, skills: [], model: null, defer: auto }
agent: null
features: {}
toolSearch: auto
sandbox: { shell: auto, allowHostShell: true }
models: { "gpt-*": { variants: ["edit:patch"], maxTools: 64, contextWindow: 400000, capabilities: { vision: true, toolSearch: native } } }
wireNames: "server__tool"
store: { url: "sqlite:", keep: 30 }
gateway:
  host: 127.0.0.1
  port: 8788
  token: "\${TOOLCRIB_TOKEN:-t}"
  approvals: inspector
  clients: [ { token: "c", agent: reviewer, exclude: [execute] } ]
`,
  }).load({ config: "all.yaml" }, { GITHUB_TOKEN: "g" });
  expect(config.tools).toMatchObject([{ name: "read_doc", group: "docs:read", use: "./tools/docs.js:readDoc" }]);
  expect(config.servers.get("github")).toMatchObject({
    transport: { headers: new Map([["Authorization", "Bearer g"]]) },
  });
  expect(config.servers.get("files")).toMatchObject({ timeout: { value: 30000 } });
  expect(config.extensions).toMatchObject([{ name: "jira", args: ["./ext/jira.js"] }]);
  expect(config.gateway).toMatchObject({
    port: { value: 8788 },
    token: { value: "t" },
    approvals: { value: "inspector" },
  });
  expect(config.gateway.clients).toMatchObject([{ token: "c", agent: { value: "reviewer" } }]);
  expect(config.sandbox.allowHostShell.value).toBe(true);
  expect(config.models.get("gpt-*")?.value.maxTools).toBe(64);
  expect(config.notices).toEqual([]);
});

test("a file for the store starts from the file that names it, and one whose variable is not set is none", async () => {
  const user = (url: string) => createWorkspace({ user: `store: { url: "${url}", keep: 7 }` });
  const near = user("sqlite:x.db");
  const { store, notices } = await near.load();
  expect(store).toMatchObject({ url: { value: expect.stringMatching(/^sqlite:\/.*\/x\.db$/) }, keep: { value: 7 } });
  expect(notices).toEqual([]);
  expect((await createWorkspace().load()).store).toMatchObject({ url: { value: "sqlite:" }, keep: { value: 30 } });
  expect((await user("postgres://h/${DB}").load({}, { DB: "db" })).store.url.value).toBe("postgres://h/db");
  const unset = await user("${NO_STORE}").load();
  expect(unset.store.url.value).toBe("");
  expect(unset.notices.map(({ code }) => code)).toEqual(["config.variable-unset"]);
});
