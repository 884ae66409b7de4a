import { describe, expect, test } from "vitest";
import { aWorld, errorCodeOf, errorNamesOf, type JudgedWorld } from "../../../test/fixtures/builders.ts";

/** Gates that go by a list: policy, server-filter, filter, agent, skill, deny-rule. */
const mcp = (server: string, name: string, more: object = {}) => ({ name, source: "mcp", server, ...more });
const TOOLS = [{ name: "view" }, { name: "edit" }, mcp("github", "get"), mcp("github", "put"), mcp("web", "get")];
const ask = (options: object, tools: readonly object[] = TOOLS): JudgedWorld => aWorld({ tools, options });

describe("policy (G7)", () => {
  test("denied and not allowed are two reasons, and a denied tool a third", () => {
    const policy = { deniedMcpServers: ["web"], allowedMcpServers: ["github"], deniedTools: ["web/get"] };
    expect(ask({ policy }).codes("web/get")).toEqual([
      "policy.server-denied",
      "policy.server-not-allowed",
      "policy.tool-denied",
    ]);
  });

  test("an address matches by wildcard, only where the server has one", () => {
    const servers = { github: { url: "https://api.github.com/mcp" } };
    const denied = (serverUrl: string) => ask({ servers, policy: { deniedMcpServers: [{ serverUrl }] } }).hidden;
    expect(denied("https://*.github.com/*")).toEqual(["github__get", "github__put"]);
    expect(denied("https://api.github.com/mcp")).toEqual(["github__get", "github__put"]);
    expect(denied("https://api.github.com")).toEqual([]);
    expect(denied("*")).toEqual(["github__get", "github__put"]);
  });

  test("a command matches as exact argv", () => {
    const servers = { web: { command: "npx", args: ["-y", "web"] }, github: { command: "npx" } };
    const denied = (serverCommand: readonly string[]) =>
      ask({ servers, policy: { deniedMcpServers: [{ serverCommand }] } }).hidden;
    expect(denied(["npx", "-y", "web"])).toEqual(["web__get"]);
    expect(denied(["npx"])).toEqual(["github__get", "github__put"]);
    expect(denied(["npx", "-y web"])).toEqual([]);
    expect(denied([])).toEqual([]);
  });

  test("an allowed list of commands or addresses leaves out servers it does not know", () => {
    const servers = { web: { url: "https://web.example/" } };
    const policy = { allowedMcpServers: [{ serverUrl: "https://web.example/*" }] };
    expect(ask({ servers, policy }).visible).toEqual(["edit", "view", "web__get"]);
  });

  test("no list below brings a denied tool back", () => {
    const world = ask({
      policy: { deniedTools: ["view"] },
      includeTools: ["view", "edit"],
      agent: "a",
      agents: [{ name: "a", tools: ["view", "edit"] }],
      skills: [{ name: "s", allowedTools: ["view", "edit"] }],
    });
    expect(world.visible).toEqual(["edit"]);
  });
});

describe("server-filter (G8)", () => {
  test.each([
    [["get"], ["github__get"]],
    [["github/get"], ["github__get"]],
    [["github__get"], ["github__get"]],
    [["mcp__github__put"], ["github__put"]],
    [["g*"], ["github__get"]],
    [["*"], ["github__get", "github__put"]],
    [[], []],
    [["web/get"], []],
    [["GET"], []],
  ])("tools %j keep %j of the server", (tools, left) => {
    const { visible } = ask({ servers: { github: { tools } } });
    expect(visible.filter((name) => name.startsWith("github"))).toEqual(left);
    expect(visible).toContain("web__get");
  });

  test("an unknown name in a server's list is told with that list's place (I7)", () => {
    const { notices } = ask({ servers: { github: { tools: ["get", "gett"] } } });
    expect(notices).toMatchObject([
      { code: "filter.unknown-name", names: ["gett"], origin: { path: "options.servers.github.tools[1]" } },
    ]);
  });
});

test("an unknown name in the default agent's list is told also while another agent makes the list idle (I7)", () => {
  const world = ask({
    defaultAgent: { excludedTools: ["vieww", "edit"] },
    agent: "a",
    agents: [{ name: "a" }],
  });
  expect(world.notices).toMatchObject([
    { code: "filter.unknown-name", names: ["vieww"], origin: { path: "options.defaultAgent.excludedTools[0]" } },
  ]);
  expect(world.visible).toContain("edit");
});

describe("filter (G9)", () => {
  test("the reason names the entry that excluded the tool, and its place", () => {
    const [line] = ask({ excludeTools: ["view", "github/*"] }).find("github/get").trace;
    expect(line?.reason).toMatchObject({
      code: "filter.excluded",
      text: 'excluded by "github/*"',
      origin: { path: "options.excludeTools[1]" },
    });
  });

  test("an explicit mention is reported before a wildcard, wherever it stands in the list", () => {
    const [line] = ask({ excludeTools: ["github/*", "github/get"] }).find("github/get").trace;
    expect(line?.reason.text).toBe('excluded by "github/get"');
  });

  test("F4: nothing left by other gates is a notice, nothing left by the filter an error", () => {
    expect(ask({ includeTools: ["view"], policy: { deniedTools: ["view"] } }).noticeCodes()).toContain("toolset.empty");
    expect(errorCodeOf(() => ask({ excludeTools: ["*"] }))).toBe("filter.no-tools");
    expect(errorCodeOf(() => ask({ includeTools: ["view"], excludeTools: ["view"] }))).toBe("filter.no-tools");
    expect(ask({ includeTools: ["view"], excludeTools: ["view"], allowNoTools: true }).visible).toEqual([]);
  });

  test("F4: the error waits while a server that the include list names is still starting", () => {
    const servers = { slow: {} };
    for (const name of ["slow", "slow/*", "slow/get", "slow__get", "mcp__slow", "mcp__slow__get", "slow-get"]) {
      const world = ask({ includeTools: [name], servers });
      expect(world.noticed("filter.pending")).toEqual([name]);
      expect(world.visible).toEqual([]);
    }
    expect(errorNamesOf(() => ask({ includeTools: ["slwo"], servers }))).toEqual(["slwo"]);
    expect(errorCodeOf(() => ask({ excludeTools: ["slow", "*"], servers }))).toBe("filter.no-tools");
  });

  test("F7: infrastructure tools obey the lists, save tool_search while something is deferred", () => {
    expect(ask({ excludeTools: ["tool_search"], toolSearch: "on" }).visible).toContain("tool_search");
    const listed = [...TOOLS, { name: "tool_search" }];
    expect(ask({ excludeTools: ["tool_search"] }, listed).codes("tool_search")).toEqual(["filter.excluded"]);
    expect(ask({ includeTools: ["view"] }, listed).codes("tool_search")).toEqual(["filter.not-included"]);
  });
});

describe("agent (G10)", () => {
  const agents = [{ name: "a", tools: ["view", "github/get", "tool_search"], disallowedTools: ["github/*"] }];

  test("A1: not listed and disallowed are two reasons", () => {
    const world = ask({ agent: "a", agents });
    expect(world.visible).toEqual(["view"]);
    expect(world.codes("github/put")).toEqual(["agent.not-listed", "agent.disallowed"]);
    expect(world.codes("github/get")).toEqual(["agent.disallowed"]);
  });

  test("A1: tool_search supports a naming agent, but not one that disallows it", () => {
    const support = { name: "a", tools: ["mcp:*"] };
    expect(ask({ agent: "a", agents: [support], toolSearch: "on" }).visible).toEqual(["tool_search"]);
    const without = { ...support, disallowedTools: ["tool_search"] };
    expect(ask({ agent: "a", agents: [without], toolSearch: "on" }).visible.length).toBe(3);
  });

  test("A1: tools: [] keeps support tools only", () => {
    const tools = [...TOOLS, { name: "exit_plan_mode" }, { name: "look", traits: { readOnly: true } }];
    const world = ask({ agent: "a", agents: [{ name: "a", tools: [] }], mode: "plan" }, tools);
    expect(world.visible).toEqual(["exit_plan_mode"]);
  });

  test("A2: without an agent some tools are left out, unless there is an include list", () => {
    const left = { defaultAgent: { excludedTools: ["view"] } };
    expect(ask(left).hidden).toContain("view");
    expect(ask({ ...left, includeTools: ["view"] }).hidden).not.toContain("view");
    expect(ask({ ...left, agents, agent: "a" }).hidden).not.toContain("view");
  });

  test("A3: an agent's list never brings back what another gate hides", () => {
    const everything = [{ name: "a", tools: ["*"] }];
    const world = ask({ agent: "a", agents: everything, excludeTools: ["edit"], permissions: { deny: ["view"] } });
    expect(world.visible).toEqual(["github__get", "github__put", "web__get"]);
  });

  test("I3: a tool that the agent asks for and another gate hides is told, not called unknown", () => {
    const world = ask({ agent: "a", agents: [{ name: "a", tools: ["view", "edit"] }], excludeTools: ["edit"] });
    expect(world.noticed("filter.not-in-scene")).toEqual(["edit"]);
    expect(world.noticed("filter.unknown-name")).toEqual([]);
  });
});

describe("skill (G11)", () => {
  test("a skill's own tools are in its union while it is active", () => {
    const tools = [
      { name: "lint", source: "skill", server: "review" },
      { name: "fmt", source: "skill", server: "other" },
    ];
    const world = ask(
      {
        skills: [
          { name: "review", allowedTools: [] },
          { name: "other", active: false },
        ],
      },
      tools,
    );
    expect(world.visible).toEqual(["lint"]);
  });

  test("call patterns in a skill's list keep the tool", () => {
    const world = ask({ skills: [{ name: "s", allowedTools: ["edit(docs/*)", "mcp__github"] }] });
    expect(world.visible).toEqual(["edit", "view", "github__get", "github__put"]);
  });

  test("a toolset, a wildcard and a server are understood as in every list", () => {
    const left = (allowedTools: readonly string[]) => ask({ skills: [{ name: "s", allowedTools }] }).visible;
    expect(left(["mcp:get"])).toEqual(["view", "github__get", "web__get"]);
    expect(left(["github/p*"])).toEqual(["view", "github__put"]);
  });
});

describe("deny-rule (G12)", () => {
  test.each([
    ["view", ["view"]],
    ["view(*)", ["view"]],
    [" view ( * ) ", ["view"]],
    ["view(x)", []],
    ["view(x:*)", []],
    ["view(**)", []],
    ["github/*", ["github__get", "github__put"]],
    ["mcp:get", ["github__get", "web__get"]],
    ["View", []],
  ])("%j hides %j", (rule, hidden) => {
    expect(ask({ permissions: { deny: [rule] } }).hidden).toEqual(hidden);
  });

  test("allow and ask rules hide nothing", () => {
    expect(ask({ permissions: { allow: ["view"], ask: ["edit"] } }).hidden).toEqual([]);
  });
});

describe("a list that names one tool many times", () => {
  const patterns = Array.from({ length: 60 }, (_, at) => `builtin:v*${"*".repeat(at)}`);

  test("is told of no more entries than a person can deal with at once", () => {
    expect(ask({ excludeTools: patterns }).codes("view")).toHaveLength(50);
  });

  test("hides it by its own name behind all the patterns, although an include list names it (F2)", () => {
    const codes = ask({ includeTools: ["view", "edit"], excludeTools: [...patterns, "view"] }).codes("view");
    expect(codes).toEqual(["filter.excluded"]);
    expect(ask({ includeTools: ["view"], excludeTools: patterns }).codes("view")).toEqual([]);
  });
});
