import { describe, expect, test } from "vitest";
import { aMcpTool, aSet, aTool, aWorld } from "../../../test/fixtures/builders.ts";
import type { Tool } from "../tool/tool.ts";
import { buildCatalog } from "./catalog.ts";
import type { NamedSet } from "./named-set.ts";
import { createResolver, type Resolution } from "./resolver.ts";
import { WIRE_STYLES } from "./wire-name.ts";

const TOOLS = [
  aTool({ name: "view", aliases: ["cat", "show"] }),
  aTool({ name: "edit", id: "core_edit" }),
  aTool({ name: "deploy", source: "external" }),
  aTool({ name: "report", source: "module" }),
  aTool({ name: "lint", source: "skill", server: "review" }),
  aTool({ name: "helper", source: "agent" }),
  aMcpTool("github/get_issue"),
  aMcpTool("github/get_repo"),
  aMcpTool("github/create.issue"),
  aMcpTool("git-hub/get_issue"),
  aMcpTool("my server/list"),
  aMcpTool("evil/view"),
];
const SETS = [aSet("kit", ["view", "github/get_*"]), aSet("empty", []), aSet("big", ["kit", "deploy"])];

function resolve(name: string, tools: readonly Tool[] = TOOLS, sets: readonly NamedSet[] = SETS): Resolution {
  return createResolver({ catalog: buildCatalog(tools), sets, servers: ["slow", "github"] }).resolve(name);
}

function hits(name: string, tools: readonly Tool[] = TOOLS, sets: readonly NamedSet[] = SETS): readonly string[] {
  const resolution = resolve(name, tools, sets);
  return resolution.kind === "found" ? resolution.meaning.entries.map(({ id }) => id).sort() : [resolution.kind];
}

function isExplicit(name: string): boolean {
  const resolution = resolve(name);
  return resolution.kind === "found" && resolution.meaning.explicit;
}

const ISSUES = ["git-hub/get_issue", "github/get_issue"];
const GETS = ["github/get_issue", "github/get_repo"];
const GITHUB = ["github/create.issue", ...GETS];
const MCP = ["evil/view", "git-hub/get_issue", ...GITHUB, "my server/list"];

describe("every form of the table (I1, I2)", () => {
  test.each([
    ["toolset:kit", [...GETS, "view"]],
    ["kit", [...GETS, "view"]],
    ["big", ["deploy", ...GETS, "view"]],
    ["empty", []],
    ["core_edit", ["core_edit"]],
    ["edit", ["core_edit"]],
    ["view", ["view"]],
    ["cat", ["view"]],
    ["get_issue", ISSUES],
    ["github", GITHUB],
    ["evil", ["evil/view"]],
    ["kit/view", ["view"]],
    ["kit/get_repo", ["github/get_repo"]],
    ["kit/github__get_repo", ["github/get_repo"]],
    ["kit/*", [...GETS, "view"]],
    ["kit/get_i*", ["github/get_issue"]],
    ["toolset:kit/view", ["view"]],
    ["kit/edit", ["unknown"]],
    ["github/get_issue", ["github/get_issue"]],
    ["github__get_issue", ["github/get_issue"]],
    ["github-get_issue", ["github/get_issue"]],
    ["mcp__github__get_issue", ["github/get_issue"]],
    ["github/*", GITHUB],
    ["mcp__github", GITHUB],
    ["mcp__github__*", GITHUB],
    ["github/get_*", GETS],
    ["mcp__github__get_*", GETS],
    ["github__*_repo", ["github/get_repo"]],
    ["github/*", GITHUB],
    ["github/create.issue", ["github/create.issue"]],
    ["github__create_issue", ["github/create.issue"]],
    ["mcp__github__create_issue", ["github/create.issue"]],
    ["git-hub-get_issue", ["git-hub/get_issue"]],
    ["git-hub/*", ["git-hub/get_issue"]],
    ["my server", ["my server/list"]],
    ["my server/list", ["my server/list"]],
    ["my_server__list", ["my server/list"]],
    ["mcp__my_server__list", ["my server/list"]],
    ["mcp__my_server", ["my server/list"]],
    ["builtin:view", ["view"]],
    ["builtin:*", ["core_edit", "run_code", "tool_search", "view"]],
    ["builtin:v*", ["view"]],
    ["mcp:view", ["evil/view"]],
    ["mcp:get_issue", ISSUES],
    ["mcp:*", MCP],
    ["mcp:get_*", [...ISSUES, "github/get_repo"].sort()],
    ["custom:*", ["deploy", "report"]],
    ["custom:deploy", ["deploy"]],
    ["custom:report", ["report"]],
    ["custom:view", ["unknown"]],
    ["skill:*", ["lint"]],
    ["skill:lint", ["lint"]],
    ["vie*", ["view"]],
    ["nope*", ["unknown"]],
    ["*/get_issue", ISSUES],
    ["nope", ["unknown"]],
    ["VIEW", ["unknown"]],
    ["github/nope", ["unknown"]],
    ["nope/get_issue", ["unknown"]],
    ["mcp__nope", ["unknown"]],
    ["builtin:deploy", ["unknown"]],
    ["", ["unknown"]],
    ["slow", ["pending"]],
    ["slow/x", ["pending"]],
    ["slow/*", ["pending"]],
    ["slow__x", ["pending"]],
    ["slow-x", ["pending"]],
    ["mcp__slow", ["pending"]],
    ["mcp__slow__*", ["pending"]],
  ])("%s means %j", (name, expected) => {
    expect(hits(name)).toEqual(expected);
  });

  test("* is every tool, tool_search and run_code with them", () => {
    expect(hits("*").length).toBe(TOOLS.length + 2);
  });

  test.each(WIRE_STYLES)("with wire style %s the same spellings reach the same tool (N2)", (style) => {
    const resolver = createResolver({ catalog: buildCatalog(TOOLS, { style }), sets: SETS });
    for (const name of ["github/get_issue", "github__get_issue", "github-get_issue", "mcp__github__get_issue"]) {
      const found = resolver.resolve(name);
      expect(found.kind === "found" && found.meaning.entries.map(({ id }) => id)).toEqual(["github/get_issue"]);
    }
  });
});

describe("the first kind that matches wins (I1)", () => {
  const tool = (name: string, more: object = {}) => aTool({ name, ...more });

  test("toolset id, toolset name, tool id, name, alias, a server's own name, server", () => {
    const sets = [aSet("by_name", ["a"], "x"), aSet("x", ["b"], "other")];
    const tools = [
      tool("a"),
      tool("b"),
      tool("c", { id: "x" }),
      tool("x", { id: "named" }),
      tool("d", { aliases: ["x"] }),
      aMcpTool("s/x"),
      aMcpTool("x/y"),
    ];
    const order = ["a", "b", "x", "named", "d", "s/x", "x/y"];
    for (let gone = 0; gone < order.length; gone++) {
      const leftSets = sets.slice(Math.min(gone, 2));
      const leftTools = tools.filter(({ name }) => gone < 2 || !["a", "b"].includes(name)).slice(Math.max(0, gone - 2));
      expect(hits("x", leftTools, leftSets)).toEqual([order[gone]]);
    }
  });

  test("view never reaches evil/view while a tool view exists, and the second meaning is told", () => {
    const resolution = resolve("view");
    expect(resolution.kind === "found" && resolution.others.map(({ entries }) => entries[0]?.id)).toEqual([
      "evil/view",
    ]);
    expect(hits("view", TOOLS.slice(1))).toEqual(["evil/view"]);
  });

  test("an MCP tool's wire name comes before another tool's alias", () => {
    const tools = [aTool({ name: "other", aliases: ["github__get_issue"] }), aMcpTool("github/get_issue")];
    expect(hits("github__get_issue", tools)).toEqual(["github/get_issue"]);
  });

  test.each([
    ["view", true],
    ["get_issue", true],
    ["edit", false],
    ["github/get_issue", false],
    ["kit", false],
    ["mcp:get_issue", true],
    ["github", false],
    ["*", false],
  ])("%s in a list is ambiguous: %j", (name, ambiguous) => {
    const tools = [
      { name: "view" },
      { name: "edit", id: "core_edit", aliases: ["edit"] },
      ...["github/get_issue", "git-hub/get_issue", "evil/view"].map((id) => ({
        source: "mcp",
        server: id.split("/")[0],
        name: id.split("/")[1],
      })),
    ];
    const world = aWorld({
      tools,
      toolsets: [{ name: "kit", members: ["view"] }],
      options: { excludeTools: [name], allowNoTools: true },
    });
    expect(world.noticed("filter.ambiguous")).toEqual(ambiguous ? [name] : []);
  });
});

describe("explicit mentions (I4)", () => {
  test.each([
    "view",
    "core_edit",
    "edit",
    "cat",
    "get_issue",
    "github/get_issue",
    "github__get_issue",
    "mcp__github__get_issue",
    "kit/view",
    "builtin:view",
  ])("%s names the tool itself", (name) => {
    expect(isExplicit(name)).toBe(true);
  });

  test.each([
    "kit",
    "toolset:kit",
    "kit/*",
    "github",
    "github/*",
    "mcp__github",
    "mcp__github__*",
    "github/get_*",
    "builtin:*",
    "mcp:get_*",
    "*",
    "vie*",
    "kit/v*",
  ])("%s does not", (name) => {
    expect(isExplicit(name)).toBe(false);
  });
});

describe("unknown names (I3)", () => {
  test.each([
    ["veiw", "view"],
    ["View", "view"],
    ["github/get_isue", "github/get_issue"],
    ["mcp__github__get_isue", undefined],
    ["kitt", "kit"],
    ["githb", "github"],
  ])("%s is nearest to %s", (name, nearest) => {
    const resolution = resolve(name);
    expect(resolution.kind).toBe("unknown");
    const resolver = createResolver({ catalog: buildCatalog(TOOLS), sets: SETS, servers: ["slow", "github"] });
    if (nearest !== undefined) expect(resolver.nearest(name)).toContain(nearest);
  });

  test("a list says where the name stands, and the same wrong name once (I5, I7)", () => {
    const agents = [{ name: "a", tools: ["nope"], disallowedTools: ["nono", "nono"] }];
    const world = aWorld({
      tools: [{ name: "view" }],
      options: {
        excludeTools: ["veiw"],
        agent: "a",
        agents,
        policy: { deniedTools: ["bad"] },
        permissions: { deny: ["worse"] },
        skills: [{ name: "s", allowedTools: ["worst"] }],
      },
    });
    const told = world.notices
      .filter(({ code }) => code === "filter.unknown-name")
      .map(({ names, origin }) => [names[0], origin.kind === "world" ? origin.path : origin.kind]);
    expect(told).toEqual([
      ["veiw", "options.excludeTools[0]"],
      ["nope", "options.agents[0].tools[0]"],
      ["nono", "options.agents[0].disallowedTools[0]"],
      ["bad", "options.policy.deniedTools[0]"],
      ["worse", "options.permissions.deny[0]"],
      ["worst", "options.skills[0].allowedTools[0]"],
    ]);
  });

  test("an unknown member of a toolset is told as such (F5)", () => {
    const world = aWorld({
      tools: [{ name: "view" }],
      toolsets: [{ name: "kit", members: ["view", "nope", "slow/x"] }],
      options: { servers: { slow: {} } },
    });
    expect(world.noticed("toolset.unknown-member")).toEqual(["nope"]);
    expect(world.sets).toEqual([{ name: "kit", enabled: true }]);
  });
});

test("a star in place of a server reaches the tools of all servers that fit (I2)", () => {
  expect(hits("*/get_*")).toEqual(["git-hub/get_issue", "github/get_issue", "github/get_repo"]);
  expect(hits("git*/get_issue")).toEqual(ISSUES);
  expect(hits("*/view")).toEqual(["evil/view"]);
  expect(hits("*/delete_*")).toEqual(["unknown"]);
  expect(isExplicit("*/view")).toBe(false);
});

test("a family is a set like any other, so its name is never ambiguous with an alias of its members (I6)", () => {
  const families = [aSet("Read", ["view", "github/get_issue"])];
  const resolution = resolve("Read", [...TOOLS, aTool({ name: "glob", aliases: ["Read"] })], families);
  expect(resolution).toMatchObject({ kind: "found", meaning: { what: "toolset Read", explicit: false } });
  expect(hits("Read", TOOLS, families)).toEqual(["github/get_issue", "view"]);
});
