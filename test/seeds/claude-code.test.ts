import { describe, expect, test } from "vitest";
import { toDefinitions } from "../../src/core/toolset/definitions.ts";
import { toPromptSections } from "../../src/core/toolset/prompt-sections.ts";
import { aWorld } from "../fixtures/builders.ts";

const mcp = (server: string, name: string, more: object = {}) => ({ name, source: "mcp", server, ...more });
const ask = (tools: readonly object[], options: object = {}) => aWorld({ tools, options });

describe("cache-stable order", () => {
  const builtins = ["Write", "Bash", "Grep", "read_b", "read_a"].map((name) => ({ name }));

  test("built-in tools sorted, then MCP tools sorted", () => {
    const world = ask([mcp("z", "a"), mcp("a", "z"), ...builtins]);
    expect(world.names).toEqual(["Bash", "Grep", "Write", "read_a", "read_b", "a__z", "z__a"]);
  });

  test("every other kind of source stands between built-ins and MCP or behind MCP, never in the prefix (C1)", () => {
    const others = ["external", "agent", "skill", "module"].map((source) => ({
      name: `A_${source}`,
      source,
      inputSchema: { type: "object" },
    }));
    const world = ask([...others, mcp("s", "A"), ...builtins]);
    expect(world.names.slice(5)).toEqual(["A_module", "A_skill", "A_agent", "s__A", "A_external"]);
  });

  test("an MCP tool that joins leaves the bytes of the prefix as they were", () => {
    const bytes = (tools: readonly object[]) => JSON.stringify(toDefinitions(ask(tools)).slice(0, 5));
    expect(bytes([...builtins, mcp("s", "AAA")])).toBe(bytes(builtins));
  });

  test("servers are in byte order of their names, and a server's tools stay together", () => {
    const world = ask([mcp("a-b", "x"), mcp("a", "z"), mcp("a_b", "y"), mcp("a", "a"), mcp("B", "q")]);
    expect(world.names).toEqual(["B__q", "a__a", "a__z", "a-b__x", "a_b__y"]);
  });

  test("names are ordered as UTF-8 bytes, also beyond the basic plane", () => {
    const world = ask([mcp("\u{1f600}", "x"), mcp("\uff5e", "x"), mcp("z", "x")]);
    expect(world.placements.map(({ entry }) => entry.tool.server)).toEqual(["z", "\uff5e", "\u{1f600}"]);
  });
});

describe("discovery", () => {
  test("of a deferred tool only the name is told", () => {
    const world = ask([mcp("s", "secret_tool", { description: "Long text", inputSchema: { type: "object" } })], {
      toolSearch: "on",
    });
    expect(toDefinitions(world).map(({ name }) => name)).toEqual(["tool_search"]);
    const [section] = toPromptSections(world);
    expect(section?.text).toContain("s__secret_tool");
    expect(section?.text).not.toContain("Long text");
  });

  test("once fetched, the tool is there for the rest of the session, behind tool_search", () => {
    const tools = [{ name: "view" }, mcp("s", "a"), mcp("s", "b")];
    const { catalog } = ask(tools);
    const promoted = { catalogHash: catalog.hash, names: ["s__a"] };
    expect(ask(tools, { toolSearch: "on", promoted }).visible).toEqual(["view", "tool_search", "s__a"]);
  });
});

describe("restriction layers", () => {
  test("1. feature flags", () => {
    const tools = [{ name: "browser", feature: "WEB_BROWSER_TOOL" }, { name: "view" }];
    expect(ask(tools).codes("browser")).toEqual(["feature.off"]);
    expect(ask(tools, { features: { WEB_BROWSER_TOOL: false } }).codes("browser")).toEqual(["feature.off"]);
    expect(ask(tools, { features: { WEB_BROWSER_TOOL: true } }).visible).toEqual(["browser", "view"]);
  });

  test("2. the mode: planning keeps what only reads", () => {
    const tools = [{ name: "Read", traits: { readOnly: true } }, { name: "Write" }, { name: "exit_plan_mode" }];
    expect(ask(tools, { mode: "plan" }).visible).toEqual(["Read", "exit_plan_mode"]);
    expect(ask(tools).visible).toEqual(["Read", "Write"]);
  });

  test("3. agent-specific filtering", () => {
    const tools = [{ name: "Read" }, { name: "Write" }];
    const options = { agent: "Explore", agents: [{ name: "Explore", tools: ["Read"] }] };
    expect(ask(tools, options).visible).toEqual(["Read"]);
  });

  test("4. deny rules hide by name, and only block calls with an input pattern", () => {
    const tools = [{ name: "Bash" }, { name: "Read" }, mcp("github", "push"), mcp("github_x", "push")];
    const left = (rule: string) => ask(tools, { permissions: { deny: [rule] } }).visible;
    expect(left("Bash")).toEqual(["Read", "github__push", "github_x__push"]);
    expect(left("Bash(*)")).toEqual(["Read", "github__push", "github_x__push"]);
    expect(left("Bash(rm:*)")).toEqual(["Bash", "Read", "github__push", "github_x__push"]);
    expect(left("mcp__github")).toEqual(["Bash", "Read", "github_x__push"]);
    expect(left("mcp__github__push")).toEqual(["Bash", "Read", "github_x__push"]);
    expect(left("mcp__github__*")).toEqual(["Bash", "Read", "github_x__push"]);
  });

  test("5. enterprise policy on MCP servers", () => {
    const tools = [mcp("a", "x"), mcp("b", "x"), { name: "view" }];
    const servers = { a: { url: "https://a.example/mcp" }, b: { command: "npx", args: ["-y", "b"] } };
    const left = (policy: object) => ask(tools, { policy, servers }).visible;
    expect(left({ deniedMcpServers: ["a"] })).toEqual(["view", "b__x"]);
    expect(left({ deniedMcpServers: [{ serverName: "a" }] })).toEqual(["view", "b__x"]);
    expect(left({ deniedMcpServers: [{ serverUrl: "https://*.example/*" }] })).toEqual(["view", "b__x"]);
    expect(left({ deniedMcpServers: [{ serverCommand: ["npx", "-y", "b"] }] })).toEqual(["view", "a__x"]);
    expect(left({ deniedMcpServers: [{ serverCommand: ["npx", "-y"] }] })).toEqual(["view", "a__x", "b__x"]);
    expect(left({ allowedMcpServers: ["b"] })).toEqual(["view", "b__x"]);
    expect(left({ allowedMcpServers: [] })).toEqual(["view"]);
    expect(left({ allowedMcpServers: ["a", "b"], deniedMcpServers: ["b"] })).toEqual(["view", "a__x"]);
  });
});
