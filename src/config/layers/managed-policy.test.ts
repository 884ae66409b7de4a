import { mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aMcpTool, aTool } from "../../../test/fixtures/builders.ts";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { buildCatalog } from "../../core/catalog/catalog.ts";
import { buildOverriddenCatalog } from "../../core/catalog/override-tools.ts";
import { nameList } from "../../core/codes/origin.ts";
import { buildToolset } from "../../core/toolset/build-toolset.ts";
import type { Config } from "../config.ts";
import { trustWorkspace } from "../load-config.ts";
import { toOverrides } from "../to-overrides.ts";
import { toScene } from "../to-scene.ts";
import type { Flags } from "./read-layers.ts";

const BELOW = ["flags", "toolcrib.local.yaml", "toolcrib.yaml", "user"] as const;
const include = (config: Config) => config.includeTools?.value.map(({ value }) => value);

const SETS = [{ id: "toolset:read", name: "read", members: nameList(["view"]) }];
const TOOLS = [
  ...["view", "grep", "glob", "bash"].map((name) => aTool(name)),
  ...["docs/read", "github/get_issue", "github/create_issue"].map((id) => aMcpTool(id)),
];
const CATALOG = buildCatalog(TOOLS);
const placed = (config: Config) =>
  buildToolset(CATALOG, toScene(config, { sets: SETS, sandboxActive: true })).placements;
const visible = (config: Config) =>
  placed(config).flatMap(({ standing, entry }) => (standing === "hidden" ? [] : [entry.id]));
/** With what the configuration says about single tools. */
const placedWith = (config: Config) => {
  const { catalog } = buildOverriddenCatalog(TOOLS, toOverrides(config), { sets: SETS });
  const { placements } = buildToolset(catalog, toScene(config, { sets: SETS, sandboxActive: true }));
  return placements.flatMap(({ standing, entry: { tool } }) =>
    standing === "hidden" ? [] : [tool.server === null ? tool.name : `${tool.server}/${tool.name}`],
  );
};
const reasons = (config: Config, id: string) => {
  const trace = placed(config).find(({ entry }) => entry.id === id)?.trace ?? [];
  return trace.map(({ reason }) => reason.text);
};

/** The configuration under a policy, with one lower layer trying. `flags` can only say what flags can. */
async function under(policy: string, layer: (typeof BELOW)[number], text: string, flags: Flags = {}) {
  const workspace = createWorkspace({ policy, ...(layer === "flags" ? {} : { [layer]: text }) });
  if (layer !== "flags") await trustWorkspace(workspace.input());
  return workspace.load(layer === "flags" ? flags : {});
}

describe.each(BELOW)("managed policy holds against %s", (layer) => {
  test("a mode it sets", async () => {
    const config = await under("permissions: { mode: plan }", layer, "permissions: { mode: bypass }", {
      mode: "bypass",
    });
    expect(config.permissions.mode.value).toBe("plan");
    expect(config.notices).toMatchObject([{ level: "info", code: "config.policy-held", names: ["permissions.mode"] }]);
  });

  test("a mode that is stricter than its own counts", async () => {
    const config = await under("permissions: { mode: default }", layer, "permissions: { mode: plan }", {
      mode: "plan",
    });
    expect([config.permissions.mode.value, config.notices]).toEqual(["plan", []]);
    const other = await under("permissions: { mode: plan }", layer, "permissions: { mode: dont-ask }", {
      mode: "dont-ask",
    });
    expect(other.permissions.mode.value).toBe("plan");
  });

  test("its include list holds beside theirs, however the tools are named", async () => {
    const policy = "includeTools: [read, 'github/get_*', docs]";
    const wanted = ["bash", "view", "github__get_issue", "github/create_issue", "docs/read", "grep"];
    const config = await under(policy, layer, `includeTools: ${JSON.stringify(wanted)}`, { include: wanted });
    expect(include(config)).toEqual(wanted);
    expect(visible(config)).toEqual(["view", "docs/read", "github/get_issue"]);
    expect(reasons(config, "bash")).toEqual(["not in managed policy's include list"]);
    expect(reasons(config, "glob")).toEqual(["not in includeTools", "not in managed policy's include list"]);
    const all = await under(policy, layer, "includeTools: ['*']", { include: ["*"] });
    expect(visible(all)).toEqual(["view", "docs/read", "github/get_issue"]);
    const none = await under(policy, layer, "includeTools: null");
    expect([include(none), none.limits]).toMatchObject([undefined, [{ by: "policy" }]]);
    expect(visible(none)).toEqual(["view", "docs/read", "github/get_issue"]);
  });

  test("naming a tool in its include list lifts no exclusion of a lower layer", async () => {
    const config = await under("includeTools: [view, grep]", layer, "includeTools: ['*']\nexcludeTools: [read]", {
      include: ["*"],
      exclude: ["read"],
    });
    expect(visible(config)).toEqual(["grep"]);
  });

  test("and lifts neither a pattern nor the default agent's list where nobody else includes anything", async () => {
    const below = "excludeTools: ['builtin:gr*']\ndefaultAgent: { excludedTools: [view] }";
    const config = await under("includeTools: [view, grep, glob]", layer, below, { exclude: ["builtin:gr*"] });
    const bare = { ...config, defaultAgent: { excludedTools: nameList(["view"]) } };
    expect(visible(bare)).toEqual(["glob"]);
  });

  test("what it excludes stays excluded", async () => {
    const config = await under(
      "excludeTools: [bash]\ndisabledSkills: [s]\npermissions: { deny: [web], ask: [edit] }",
      layer,
      "excludeTools: []\ndisabledSkills: []\npermissions: { allow: [web], deny: [], ask: [] }",
      { exclude: [] },
    );
    expect(config.excludeTools.value.map(({ value }) => value)).toEqual(["bash"]);
    expect(config.disabledSkills.value.map(({ value }) => value)).toEqual(["s"]);
    expect(config.permissions.deny.map(({ value }) => value.tool)).toEqual(["web"]);
    expect(config.permissions.ask.map(({ value }) => value.tool)).toEqual(["edit"]);
  });
});

describe.each(["toolcrib.local.yaml", "toolcrib.yaml", "user"] as const)("managed policy holds against %s", (layer) => {
  test("groups are intersected", async () => {
    const config = await under("toolGroups: [a, b]", layer, "toolGroups: [b, c]");
    expect(config.toolGroups?.value.map(({ value }) => value)).toEqual(["b"]);
    expect((await under("toolGroups: [a]", layer, "toolGroups: null")).toolGroups?.value).toHaveLength(1);
    expect((await under("toolGroups: [a]", layer, "toolGroups: [c]")).toolGroups?.value).toEqual([]);
  });

  test("allowHostShell, features and servers it sets", async () => {
    const config = await under(
      "sandbox: { allowHostShell: false }\nfeatures: { x: false }\nmcpServers: { s: { command: good } }",
      layer,
      "sandbox: { allowHostShell: true }\nfeatures: { x: true }\nmcpServers: { s: { command: evil } }",
    );
    expect(config.sandbox.allowHostShell.value).toBe(false);
    expect(config.features.get("x")?.value).toBe(false);
    expect(config.servers.get("s")?.transport).toMatchObject({ command: "good" });
  });

  test("a toolset cannot take a name that policy restricts by", async () => {
    const config = await under(
      "excludeTools: [bash, 'evil/*']\npermissions: { deny: ['Edit(x)'] }\npolicy: { deniedTools: [web] }",
      layer,
      "toolsets: { bash: [], evil: [], 'evil/x': [], Edit: [], web: [], mine: [view] }",
    );
    expect(config.toolsets.map(({ name }) => name)).toEqual(["mine"]);
    expect(config.notices.filter(({ code }) => code === "config.policy-held")).toHaveLength(5);
  });

  test("a toolset in an include list shows of its members what policy lets through", async () => {
    const config = await under(
      "includeTools: [view, grep]",
      layer,
      "toolsets: { review: [view, bash], view: [bash], 'grep/x': [bash] }\nincludeTools: [review]",
    );
    expect(visible(config)).toEqual(["view"]);
    const loop = await under("includeTools: [view]", layer, "toolsets: { a: [b], b: [a, view] }\nincludeTools: [a]");
    expect(visible(loop)).toEqual(["view"]);
  });

  test("a tool cannot take an identifier by which policy chooses tools", async () => {
    const ids = ["github/get_issue", "view", "github/get_all", "free"];
    for (const id of ids) {
      const config = await under(
        "includeTools: [view, 'github/get_*']",
        layer,
        `toolOverrides: { github/create_issue: { id: "${id}", description: Mine. } }`,
      );
      expect(placedWith(config)).toEqual(["view", "github/get_issue"]);
      expect(config.notices).toMatchObject([{ code: "config.policy-held", names: [id] }]);
    }
    const denied = await under("excludeTools: ['x/*']", layer, "toolOverrides: { bash: { id: x/y } }");
    expect(denied.notices).toMatchObject([{ code: "config.policy-held", names: ["x/y"] }]);
  });

  test("values of which one is stricter: the stricter one of both", async () => {
    const loose =
      "gateway: { approvals: client, runs: true }\nsandbox: { shell: auto, allowHostShell: true }\npermissions: { sandboxed: allow, hostTools: allow }";
    const strict =
      "gateway: { approvals: deny, runs: false }\nsandbox: { shell: on, allowHostShell: false }\npermissions: { sandboxed: ask, hostTools: ask }";
    for (const [policy, below] of [
      [loose, strict],
      [strict, loose],
    ] as const) {
      const { gateway, sandbox, permissions } = await under(policy, layer, below);
      expect([gateway.approvals.value, gateway.runs.value]).toEqual(["deny", false]);
      expect([sandbox.shell.value, sandbox.allowHostShell.value]).toEqual(["on", false]);
      expect([permissions.sandboxed.value, permissions.hostTools.value]).toEqual(["ask", "ask"]);
    }
  });

  test("a classifier that it switches off", async () => {
    const config = await under("permissions: { classifier: off }", layer, "permissions: { classifier: anthropic/x }");
    expect(config.permissions.classifier).toBeNull();
  });

  test("the policy key is an error", async () => {
    await expect(under("{}", layer, "policy: { allowedMcpServers: [evil] }")).rejects.toMatchObject({
      code: "config.invalid",
    });
  });
});

describe("the policy file", () => {
  test("says which servers and tools may be", async () => {
    const config = await createWorkspace({
      policy: `policy:
  allowedMcpServers:
    - github
    - serverUrl: "https://*.example.com/*"
  deniedMcpServers: [{ serverCommand: [npx, evil] }, { serverName: bad }]
  deniedTools: [bash]
`,
    }).load();
    expect(config.policy.allowedServers?.value.map(({ value }) => value)).toEqual([
      { by: "name", name: "github" },
      { by: "url", url: "https://*.example.com/*" },
    ]);
    expect(config.policy.allowedServers?.value[1]?.origin).toMatchObject({ line: 4 });
    expect(config.policy.deniedServers.map(({ value }) => value)).toEqual([
      { by: "command", argv: ["npx", "evil"] },
      { by: "name", name: "bad" },
    ]);
    expect(config.policy.deniedTools.value).toMatchObject([{ value: "bash", origin: { line: 6 } }]);
  });

  test("an empty list of allowed servers is not the same as none", async () => {
    const config = await createWorkspace({ policy: "policy: { allowedMcpServers: [] }" }).load();
    expect(config.policy.allowedServers?.value).toEqual([]);
  });

  test("TOOLCRIB_POLICY adds to the machine's policy and cannot take its place", async () => {
    const workspace = createWorkspace({
      policy:
        "excludeTools: [a]\nincludeTools: [x, y]\npermissions: { mode: plan }\npolicy: { allowedMcpServers: [s, t] }",
      "more.yaml":
        "excludeTools: [b]\nincludeTools: [y, z]\npermissions: { mode: bypass }\npolicy: { allowedMcpServers: [t, u] }",
    });
    const config = await workspace.load({}, { TOOLCRIB_POLICY: join(workspace.cwd, "more.yaml") });
    expect(config.excludeTools.value.map(({ value }) => value)).toEqual(["a", "b"]);
    expect(include(config)).toBeUndefined();
    expect(config.limits.map(({ include }) => include?.value.map(({ value }) => value))).toEqual([
      ["x", "y"],
      ["y", "z"],
    ]);
    expect(config.permissions.mode.value).toBe("plan");
    expect(config.policy.allowedServers?.value.map(({ value }) => value)).toEqual([{ by: "name", name: "t" }]);
  });

  test("counts with every ending, and two of them are a mistake", async () => {
    const { root, load } = createWorkspace({ policy: "" });
    rmSync(join(root, "etc", "policy.yaml"));
    writeFileSync(join(root, "etc", "policy.yml"), "permissions: { mode: plan }");
    expect((await load()).permissions.mode.value).toBe("plan");
    writeFileSync(join(root, "etc", "policy.json"), "{}");
    await expect(load()).rejects.toThrow("policy.yml and policy.json; keep one of them");
  });

  test("one that is there and cannot be read stops everything, with its place", async () => {
    const { root, load } = createWorkspace({ policy: "permissions:\n  mode: planned\n" });
    await expect(load()).rejects.toThrow(/policy\.yaml:2: .*permissions\.mode/);
    rmSync(join(root, "etc", "policy.yaml"));
    symlinkSync("nowhere", join(root, "etc", "policy.yaml"));
    await expect(load()).rejects.toThrow(/policy\.yaml: there is no such file/);
    unlinkSync(join(root, "etc", "policy.yaml"));
    mkdirSync(join(root, "etc", "policy.yaml"));
    await expect(load()).rejects.toThrow(/policy\.yaml: cannot be read: it is a folder/);
  });

  test("one that was announced and is not there stops everything", async () => {
    const workspace = createWorkspace();
    await expect(workspace.load({}, { TOOLCRIB_POLICY: "/nowhere/policy.yaml" })).rejects.toMatchObject({
      code: "config.not-found",
      names: ["/nowhere/policy.yaml"],
    });
  });

  test("null in a policy says nothing", async () => {
    const config = await createWorkspace({
      policy: "agent: null\nincludeTools: null",
      "toolcrib.yaml": "includeTools: [a]",
    }).load({ agent: "x" });
    expect(config.agent?.value).toBe("x");
    expect(include(config)).toEqual(["a"]);
  });
});
