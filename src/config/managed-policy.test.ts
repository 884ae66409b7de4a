import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../test/config-workspace.ts";
import type { Config } from "./config.ts";
import { trustWorkspace } from "./load-config.ts";
import type { Flags } from "./read-layers.ts";

const BELOW = ["flags", "toolcrib.local.yaml", "toolcrib.yaml", "user"] as const;
const include = (config: Config) => config.includeTools?.value.map(({ value }) => value);

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

  test("its include list is narrowed, never replaced or widened", async () => {
    const policy = "includeTools: [view, 'github/get_*', docs]";
    const wanted = ["bash", "view", "github/get_issue", "github/create_issue", "docs/read"];
    const config = await under(policy, layer, `includeTools: ${JSON.stringify(wanted)}`, { include: wanted });
    expect(include(config)).toEqual(["view", "github/get_issue", "docs/read"]);
    expect(config.notices.map(({ code }) => code)).toEqual(["config.policy-held", "config.policy-held"]);
    const all = await under(policy, layer, "includeTools: ['*']", { include: ["*"] });
    expect(include(all)).toEqual(["view", "github/get_*", "docs"]);
    expect(include(await under(policy, layer, "includeTools: null"))).toEqual(["view", "github/get_*", "docs"]);
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

  test("a toolset in an include list is looked into", async () => {
    const config = await under(
      "includeTools: [view, grep]",
      layer,
      "toolsets: { review: [view, bash] }\nincludeTools: [review]",
    );
    expect(include(config)).toEqual(["view"]);
    const loop = await under("includeTools: [view]", layer, "toolsets: { a: [b], b: [a, view] }\nincludeTools: [a]");
    expect(include(loop)).toEqual(["view"]);
    const doubling = Array.from({ length: 60 }, (_, at) => `s${at}: [s${at + 1}, s${at + 1}, view]`).join(", ");
    const wide = await under("includeTools: [view]", layer, `toolsets: { ${doubling} }\nincludeTools: [s0]`);
    expect(include(wide)).toEqual(["view"]);
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
    expect(include(config)).toEqual(["y"]);
    expect(config.permissions.mode.value).toBe("plan");
    expect(config.policy.allowedServers?.value.map(({ value }) => value)).toEqual([{ by: "name", name: "t" }]);
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
