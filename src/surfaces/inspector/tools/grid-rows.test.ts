import { describe, expect, test } from "vitest";
import type { ReasonView, ShownStanding, ToolView } from "../../http/api/api.ts";
import { buildRows, type RowOptions, verdictOf } from "./grid-rows.ts";

const ALL: ReadonlySet<ShownStanding> = new Set(["visible", "deferred", "hidden"]);
const OPTIONS: RowOptions = { filter: "", standings: ALL, onlyChanges: false, order: "payload", toggled: new Map() };

describe("the grid's rows", () => {
  test("keep the payload's order inside each group, and count what stands where", () => {
    const tools = [tool("view", null), tool("b__x", "b", "hidden"), tool("grep", null, "deferred"), tool("b__a", "b")];
    expect(names(buildRows(toolset(tools), null, [], OPTIONS))).toEqual([
      "[builtin]",
      "view",
      "grep",
      "[mcp/b]",
      "b__x",
      "b__a",
    ]);
    expect(buildRows(toolset(tools), null, [], OPTIONS)[0]).toMatchObject({
      tools: 2,
      tokens: 20,
      standings: { visible: 1, deferred: 1, hidden: 0 },
    });
  });

  test("say for each group how many of its tools each gate holds back", () => {
    const twice = [line("filter", "hide"), line("filter", "hide"), line("mode", "pass")];
    const tools = [
      { ...tool("a", null), trace: twice },
      { ...tool("b", null), trace: [line("filter", "defer")] },
    ];
    const [group] = buildRows(toolset(tools), null, [], OPTIONS);
    expect(group).toMatchObject({ held: new Map([["filter", 2]]) });
  });

  test("hold what the filter finds in names, servers and descriptions, all words of it", () => {
    const tools = [tool("view", null), tool("github__list", "github"), tool("github__get", "github")];
    expect(names(buildRows(toolset(tools), null, [], { ...OPTIONS, filter: "GIT list" }))).toEqual([
      "[mcp/github]",
      "github__list",
    ]);
  });

  test("start closed when there are many, and stay as people leave them", () => {
    const many = Array.from({ length: 500 }, (_, index) => tool(`s${index % 2}__t${index}`, `s${index % 2}`));
    expect(names(buildRows(toolset(many), null, [], OPTIONS))).toEqual(["[mcp/s0]", "[mcp/s1]"]);
    const toggled = new Map([["mcp/s1", true]]);
    expect(buildRows(toolset(many), null, [], { ...OPTIONS, toggled })).toHaveLength(252);
  });

  test("leave built-in tools that are off closed, above one's own, unless somebody looks for them", () => {
    const tools = [tool("view", null, "hidden"), tool("b__x", "b", "hidden"), tool("b__a", "b")];
    expect(names(buildRows(toolset(tools), null, [], OPTIONS))).toEqual(["[builtin]", "[mcp/b]", "b__x", "b__a"]);
    const opened: readonly Partial<RowOptions>[] = [
      { filter: "view" },
      { standings: new Set(["hidden"]) },
      { toggled: new Map([["builtin", true]]) },
    ];
    for (const options of opened)
      expect(names(buildRows(toolset(tools), null, [], { ...OPTIONS, ...options }))).toContain("view");
  });

  test("say what a what-if changes, and can hold nothing else", () => {
    const before = [tool("view", null), tool("edit", null)];
    const after = [tool("view", null), tool("edit", null, "hidden")];
    const change = { name: "edit", before: "visible" as const, after: "hidden" as const, gates: ["mode"] };
    const rows = buildRows(toolset(after), toolset(before), [change], { ...OPTIONS, onlyChanges: true });
    expect(rows).toMatchObject([
      { kind: "group", changes: 1, tools: 1 },
      { kind: "tool", change, before: { standing: "visible" }, tool: { standing: "hidden" } },
    ]);
  });

  test("sort by cost when asked to", () => {
    const tools = [
      { ...tool("a", null), tokens: 1 },
      { ...tool("b", null), tokens: 9 },
    ];
    expect(names(buildRows(toolset(tools), null, [], { ...OPTIONS, order: "tokens" }))).toEqual([
      "[builtin]",
      "b",
      "a",
    ]);
  });
});

test("a gate that says two things counts with the stricter one", () => {
  const trace = [line("filter", "pass"), line("skill", "defer"), line("skill", "hide"), line("skill", "defer")];
  expect(verdictOf({ ...tool("a", null), trace }, "skill")?.verdict).toBe("hide");
  expect(verdictOf({ ...tool("a", null), trace }, "budget")).toBeNull();
});

function tool(name: string, server: string | null, standing: ShownStanding = "visible"): ToolView {
  const source = server === null ? "builtin" : "mcp";
  const named = { name, shown: name, id: name, source, server, title: null, description: `does ${name}` };
  return { ...named, standing, tokens: 10, trace: [] };
}

function toolset(tools: readonly ToolView[]) {
  const tokens = { visible: 0, deferred: 0, hidden: 0 };
  return { catalogHash: "", gates: [], tools, tokens, contextWindow: 1, notices: [] };
}

function line(gate: string, verdict: ReasonView["verdict"]): ReasonView {
  return { gate, verdict, code: null, text: null, origin: null };
}

function names(rows: ReturnType<typeof buildRows>): string[] {
  return rows.map((row) => (row.kind === "group" ? `[${row.key}]` : row.tool.name));
}
