import { describe, expect, test } from "vitest";
import { buildCatalog } from "../../src/core/catalog/catalog.ts";
import { toDefinitions } from "../../src/core/toolset/definitions.ts";
import { aTool, aToolset, aWorld, errorCodeOf } from "../fixtures/builders.ts";

const TOOLS = [
  { name: "view", traits: { readOnly: true } },
  { name: "edit" },
  { name: "bash" },
  { name: "sidekick", internal: "top-level-incompatible" },
  { name: "dynamic_context", internal: "dynamic-context" },
  { name: "create_issue", source: "mcp", server: "github" },
  { name: "deploy", source: "external", inputSchema: { type: "object" } },
];
const ask = (options: object, tools: readonly object[] = TOOLS) => aWorld({ tools, options });

describe("the allow and exclude table", () => {
  test("availableTools is set: only the names listed in it are enabled", () => {
    expect(ask({ availableTools: ["view", "github/create_issue"] }).visible).toEqual(["view", "github__create_issue"]);
  });

  test("no allowlist, excludedTools is set: its names are disabled", () => {
    const world = ask({ excludedTools: ["bash", "deploy"] });
    expect(world.visible).toEqual(["edit", "sidekick", "view", "github__create_issue"]);
  });

  test("neither is set: the tool is enabled", () => {
    expect(ask({}).visible).toEqual(["bash", "edit", "sidekick", "view", "github__create_issue", "deploy"]);
  });

  test("an allowlist makes the exclude list idle only with filterPrecedence include, the old rule of this seed (F1)", () => {
    const lists = { availableTools: ["view", "bash"], excludedTools: ["bash"] };
    expect(ask({ ...lists, filterPrecedence: "include" }).visible).toEqual(["bash", "view"]);
    expect(ask(lists).visible).toEqual(["view"]);
  });

  test("unknown names are told, and are no error", () => {
    expect(ask({ excludedTools: ["bahs"] }).noticed("filter.unknown-name")).toEqual(["bahs"]);
  });
});

describe("the selected-agent table", () => {
  const agents = [
    { name: "star", tools: ["*"] },
    { name: "open" },
    { name: "named", tools: ["view", "sidekick", "dynamic_context"] },
    { name: "none", tools: [] },
    { name: "careful", tools: ["view", "bash"], disallowedTools: ["bash"] },
  ];
  const as = (agent: string | null, more: object = {}) => ask({ agent, agents, ...more });

  test.each(["star", "open"])("agent %s with * or no tools: all but top-level-incompatible helpers", (agent) => {
    expect(as(agent).visible).toEqual(["bash", "dynamic_context", "edit", "view", "github__create_issue", "deploy"]);
    expect(as(agent).codes("sidekick")).toEqual(["agent.top-level-incompatible"]);
  });

  test("an agent with named tools: only those, and an incompatible one stays hidden although it is named", () => {
    expect(as("named").visible).toEqual(["dynamic_context", "view"]);
    expect(as("named").codes("sidekick")).toEqual(["agent.top-level-incompatible"]);
  });

  test("mandatory support tools come along in their mode only", () => {
    const support = [{ name: "exit_plan_mode" }, { name: "task_complete" }, ...TOOLS];
    const visible = (mode: string, agent: string) => ask({ agent, agents, mode }, support).visible;
    expect(visible("plan", "named")).toEqual(["exit_plan_mode", "view"]);
    expect(visible("autopilot", "named")).toEqual(["dynamic_context", "task_complete", "view"]);
    expect(visible("plan", "none")).toEqual(["exit_plan_mode"]);
    expect(visible("default", "none")).toEqual([]);
  });

  test("disallowedTools win over the agent's own names", () => {
    expect(as("careful").visible).toEqual(["view"]);
    expect(as("careful").codes("bash")).toEqual(["agent.disallowed"]);
  });

  test("no agent: default exclusions and dynamic-context tools go", () => {
    const world = as(null, { defaultAgent: { excludedTools: ["edit"] } });
    expect(world.visible).toEqual(["bash", "sidekick", "view", "github__create_issue", "deploy"]);
    expect(world.codes("edit")).toEqual(["agent.default-excluded"]);
    expect(world.codes("dynamic_context")).toEqual(["agent.dynamic-context"]);
  });

  test("no agent, but an explicit allowlist: the default exclusions do not apply", () => {
    const options = { defaultAgent: { excludedTools: ["edit"] }, availableTools: ["edit", "dynamic_context"] };
    expect(as(null, options).visible).toEqual(["dynamic_context", "edit"]);
  });

  test("availableTools and an agent's tools are not the same: both must agree", () => {
    expect(as("named", { availableTools: ["view", "bash"] }).visible).toEqual(["view"]);
  });
});

describe("external tools", () => {
  const external = (fields: object) => ({ name: "t", source: "external", inputSchema: { type: "object" }, ...fields });

  test("invalid schemas are ignored: absent or of type object is valid", () => {
    expect(ask({}, [external({ inputSchema: null })]).visible).toEqual(["t"]);
    expect(ask({}, [external({ inputSchema: { type: "array" } })]).codes("t")).toEqual(["tool.invalid-schema"]);
  });

  test("sharing a built-in's name without overridesBuiltInTool is an error at creation", () => {
    expect(errorCodeOf(() => ask({}, [{ name: "t" }, external({})]))).toBe("tool.name-conflict");
  });

  test("an explicit override takes the name, metadata included, and the built-in leaves the executable set", () => {
    const world = ask({}, [
      { name: "t", description: "old" },
      external({ overridesBuiltInTool: true, description: "new", id: "mine" }),
    ]);
    expect(toDefinitions(world)).toEqual([{ name: "t", description: "new", inputSchema: { type: "object" } }]);
    expect(world.placements[0]?.trace.map(({ reason }) => reason.code)).toEqual(["duplicate.name-taken"]);
  });

  test("host, then connection, then extension: the earlier definition wins, in whatever order they arrive (N6)", () => {
    const owned = (kind: "host" | "connection" | "extension") =>
      aTool({ name: "t", source: "external", id: kind, owner: { kind, name: kind } });
    const toolset = aToolset([owned("extension"), owned("connection"), owned("host")]);
    expect(toolset.placements.filter(({ standing }) => standing === "visible").map(({ entry }) => entry.id)).toEqual([
      "host",
    ]);
    const later = aToolset([owned("extension"), owned("connection")]);
    expect(later.find("t").entry.id).toBe("connection");
  });

  test.each([
    ["name", { name: "u" }],
    ["description", { description: "x" }],
    ["title", { title: "x" }],
    ["schema", { inputSchema: { type: "object", properties: {} } }],
    ["override flag", { overridesBuiltInTool: true }],
    ["permission-skipping flag", { skipPermission: true }],
    ["traits", { traits: { readOnly: true } }],
  ])("the signature covers the %s (N10)", (_what, change) => {
    const hash = (fields: object) => ask({}, [external(fields)]).catalog.hash;
    expect(hash(change)).not.toBe(hash({}));
  });

  test.each([
    ["id", { id: "x" }],
    ["aliases", { aliases: ["x"] }],
    ["group", { group: "x" }],
    ["deferral", { defer: "never" }],
    ["a stated default trait", { traits: { readOnly: false, openWorld: true, interrupt: "finish" } }],
  ])("the signature leaves out %s (N10)", (_what, change) => {
    const hash = (fields: object) => ask({}, [external(fields)]).catalog.hash;
    expect(hash(change)).toBe(hash({}));
  });

  test("the configured server's name is part of an MCP tool's signature, not of another's", () => {
    const signature = (source: "mcp" | "skill", server: string) =>
      buildCatalog([aTool({ name: "t", source, server })]).entries[0]?.signature;
    expect(signature("mcp", "a")).not.toBe(signature("mcp", "b"));
    expect(signature("skill", "a")).toBe(signature("skill", "b"));
  });
});

describe("deferred loading", () => {
  const many = Array.from({ length: 31 }, (_, at) => ({ name: `t${at}`, source: "mcp", server: "s" }));

  test("a large candidate list marks MCP and external tools and adds the search tool", () => {
    const world = ask({}, [...TOOLS, ...many]);
    expect(world.visible).toEqual(["bash", "edit", "sidekick", "view", "tool_search"]);
    expect(world.standing("deploy")).toBe("deferred");
  });

  test("switched off, all schemas are inline", () => {
    expect(ask({ toolSearch: "off" }, many).visible.length).toBe(31);
  });

  test("a model that cannot search gets them inline too (D1)", () => {
    expect(ask({ model: { capabilities: { toolSearch: false } } }, many).deferred).toEqual([]);
  });
});
