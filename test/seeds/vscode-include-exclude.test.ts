import { describe, expect, test } from "vitest";
import { aWorld, errorCodeOf, errorNamesOf } from "../fixtures/builders.ts";

/** The tools of the seed's examples: every toolset that one of them names, and the tools it mentions. */
const TOOLS = [
  { name: "editFile", id: "vscode_editFile" },
  { name: "deleteFile", id: "vscode_deleteFile" },
  { name: "grep", id: "vscode_grep" },
  { name: "fetch", id: "vscode_fetch" },
  { name: "openBrowser", id: "vscode_openBrowser" },
  { name: "readFile", id: "vscode_readFile" },
  { name: "runSubagent", id: "vscode_runSubagent" },
];
const TOOLSETS = [
  { id: "toolset:GitHub.copilot-chat/edit", name: "edit", members: ["vscode_editFile", "vscode_deleteFile"] },
  { id: "toolset:search", name: "search", members: ["vscode_grep"] },
  { id: "toolset:web", name: "web", members: ["vscode_fetch", "vscode_openBrowser"] },
  { id: "toolset:read", name: "read", members: ["vscode_readFile"] },
  { id: "toolset:agent", name: "agent", members: ["vscode_runSubagent"] },
  { id: "toolset:emptyset", name: "emptyset", members: [] },
];

const open = (options: object) => aWorld({ tools: TOOLS, toolsets: TOOLSETS, options });
const visible = (options: object) => open(options).visible;
const all = visible({});

describe("the four examples", () => {
  test("whitelist only: the edit and search toolsets", () => {
    expect(visible({ includeTools: ["edit", "search"] })).toEqual(["deleteFile", "editFile", "grep"]);
  });

  test("blacklist only: everything but the web toolset", () => {
    expect(visible({ excludeTools: ["web"] })).toEqual(["deleteFile", "editFile", "grep", "readFile", "runSubagent"]);
  });

  test("combined mode: the edit toolset without the dangerous deleteFile", () => {
    expect(visible({ includeTools: ["edit"], excludeTools: ["deleteFile"] })).toEqual(["editFile"]);
  });

  test("add to defaults then remove: agent, read and web without fetch", () => {
    expect(visible({ includeTools: ["agent", "read", "web"], excludeTools: ["fetch"] })).toEqual([
      "openBrowser",
      "readFile",
      "runSubagent",
    ]);
  });
});

describe("the edge cases", () => {
  test("a tool in both lists is excluded", () => {
    expect(visible({ includeTools: ["edit", "grep"], excludeTools: ["grep"] })).toEqual(["deleteFile", "editFile"]);
  });

  test("a toolset in the include list, a member in the exclude list: the rest of the set stays", () => {
    expect(visible({ includeTools: ["edit"], excludeTools: ["vscode_deleteFile"] })).toEqual(["editFile"]);
  });

  test("a tool in the include list, its toolset in the exclude list: the tool is included", () => {
    expect(visible({ includeTools: ["editFile"], excludeTools: ["edit"] })).toEqual(["editFile"]);
  });

  test("an unknown identifier is a warning and blocks nothing", () => {
    const world = open({ includeTools: ["editFile", "edt"] });
    expect(world.visible).toEqual(["editFile"]);
    expect(world.noticed("filter.unknown-name")).toEqual(["edt"]);
  });

  test("an empty include list is an error", () => {
    expect(errorCodeOf(() => open({ includeTools: [] }))).toBe("filter.empty-include");
  });

  test("an empty exclude list has no effect", () => {
    expect(visible({ excludeTools: [] })).toEqual(all);
  });

  test("a filter that leaves no tool is an error", () => {
    expect(errorCodeOf(() => open({ includeTools: ["editFile"], excludeTools: ["editFile"] }))).toBe("filter.no-tools");
  });
});

describe("identifiers", () => {
  test.each([
    ["toolset:GitHub.copilot-chat/edit", ["deleteFile", "editFile"]],
    ["edit", ["deleteFile", "editFile"]],
    ["vscode_editFile", ["editFile"]],
    ["editFile", ["editFile"]],
  ])("%s reaches %j", (identifier, expected) => {
    expect(visible({ includeTools: [identifier] })).toEqual(expected);
  });

  test("a toolset is enabled when all its members are", () => {
    const { sets } = open({ includeTools: ["editFile", "deleteFile", "fetch"] });
    expect(sets.filter(({ enabled }) => enabled).map(({ name }) => name)).toEqual(["edit"]);
  });

  test.each(["default", "accept-edits", "autopilot", "dont-ask", "bypass"])("filtering applies in %s mode", (mode) => {
    expect(visible({ includeTools: ["edit"], mode })).toEqual(["deleteFile", "editFile"]);
  });
});

/** V01 to V14 of the research on the shipped product, in the form that is preferred there. */
describe("the researched vectors", () => {
  const tools = [
    { name: "editFile", id: "vscode_editFile" },
    { name: "deleteFile", id: "vscode_deleteFile" },
    { name: "fetch" },
    { name: "grep" },
    { name: "search", id: "s1" },
  ];
  const toolsets = [
    { name: "edit", members: ["editFile", "deleteFile"] },
    { name: "web", members: ["fetch"] },
    { name: "search", members: ["grep"] },
    { name: "emptyset", members: [] },
  ];
  const ask = (includeTools: readonly string[] | null, excludeTools: readonly string[] | null = null) =>
    aWorld({ tools, toolsets, options: { includeTools, excludeTools } });

  test.each([
    ["V01", ["edit"], null, ["deleteFile", "editFile"]],
    ["V02", null, ["web"], ["deleteFile", "editFile", "grep", "search"]],
    ["V03", ["edit"], ["deleteFile"], ["editFile"]],
    ["V04", ["editFile"], ["edit"], ["editFile"]],
    ["V05", ["edit", "editFile"], ["edit"], ["editFile"]],
    ["V09", null, [], ["deleteFile", "editFile", "fetch", "grep", "search"]],
    ["V11", ["editFile", "nope"], null, ["editFile"]],
    ["V12", ["vscode_editFile", "editFile"], null, ["editFile"]],
    ["V13", ["search"], null, ["grep"]],
    ["V14", ["edit/editFile"], null, ["editFile"]],
  ])("%s: include %j, exclude %j leaves %j", (_vector, include, exclude, expected) => {
    expect(ask(include, exclude).visible).toEqual(expected);
  });

  test.each([
    ["V06", ["edit"], ["edit"], "filter.no-tools"],
    ["V07", ["editFile"], ["editFile"], "filter.no-tools"],
    ["V08", [], null, "filter.empty-include"],
    ["V10", ["nope"], null, "filter.no-tools"],
    ["V14", ["EDIT"], null, "filter.no-tools"],
    ["V14", ["emptyset"], null, "filter.no-tools"],
  ])("%s: include %j, exclude %j is the error %s", (_vector, include, exclude, code) => {
    expect(errorCodeOf(() => ask(include, exclude))).toBe(code);
  });

  test("V03 and V01: the set is on with all members, off with one missing", () => {
    const edit = ({ sets }: ReturnType<typeof ask>) => sets.find(({ name }) => name === "edit")?.enabled;
    expect(edit(ask(["edit"]))).toBe(true);
    expect(edit(ask(["edit"], ["deleteFile"]))).toBe(false);
  });

  test("V10: the error carries the typo, of the exclude list too", () => {
    expect(errorNamesOf(() => ask(["nope"], ["grpe"]))).toEqual(["nope", "grpe"]);
  });

  test("V12 gives no notice, V13 says that the name is ambiguous", () => {
    expect(ask(["vscode_editFile", "editFile"]).noticeCodes()).toEqual([]);
    expect(ask(["search"]).noticed("filter.ambiguous")).toEqual(["search"]);
  });

  test("V15 to V17: a server's name, one of its tools, and an unknown name in an agent's list", () => {
    const world = (agentTools: readonly string[]) =>
      aWorld({
        tools: [
          { name: "view" },
          { name: "one", source: "mcp", server: "server" },
          { name: "two", source: "mcp", server: "server" },
        ],
        toolsets: [{ name: "both", members: ["server/*"] }],
        options: { agent: "a", agents: [{ name: "a", tools: agentTools }] },
      });
    expect(world(["server"]).visible).toEqual(["server__one", "server__two"]);
    expect(world(["server/one"]).visible).toEqual(["server__one"]);
    expect(world(["server/one"]).sets).toEqual([{ name: "both", enabled: false }]);
    expect(world(["view", "nope"]).visible).toEqual(["view"]);
    expect(world(["view", "nope"]).noticed("filter.unknown-name")).toEqual(["nope"]);
  });

  test("V20, V21: a tool that is not for this model is reported as such, and without a model it passes", () => {
    const tool = [{ name: "look", requires: { vision: true } }, { name: "view" }];
    const world = aWorld({ tools: tool, options: { includeTools: ["look", "view"], model: { id: "small" } } });
    expect(world.visible).toEqual(["view"]);
    expect(world.noticed("filter.not-in-scene")).toEqual(["look"]);
    expect(world.noticed("filter.unknown-name")).toEqual([]);
    expect(aWorld({ tools: tool }).visible).toEqual(["look", "view"]);
  });

  test("V22: a set whose only member is enabled is on", () => {
    expect(ask(["fetch"]).sets.find(({ name }) => name === "web")?.enabled).toBe(true);
  });

  test("V28: servers whose names clean to one keep their tools apart, under stable names", () => {
    const servers = ["My Server", "my server", "my/server"];
    const names = (order: readonly string[]) =>
      aWorld({ tools: order.map((server) => ({ name: "get", source: "mcp", server })) }).names;
    expect(new Set(names(servers)).size).toBe(3);
    expect(names(servers.toReversed())).toEqual(names(servers));
  });
});
