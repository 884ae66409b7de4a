import { describe, expect, test } from "vitest";
import { aWorld, type JudgedWorld } from "../../../test/fixtures/builders.ts";

const many = (count: number, more: object = {}, prefix = "t") =>
  Array.from({ length: count }, (_, at) => ({
    name: `${prefix}${String(at).padStart(3, "0")}`,
    source: "mcp",
    server: "s",
    inputSchema: { type: "object" },
    ...more,
  }));
const builtins = (count: number) => many(count, { source: "builtin" }, "b");
const ask = (tools: readonly object[], options: object = {}): JudgedWorld => aWorld({ tools, options });

describe("in front of a client (D1)", () => {
  const inFront = (tools: readonly object[], client: object, more: object = {}) => ask(tools, { client, ...more });
  const big = { description: "x".repeat(1_000) };

  test("how many tools there are does not matter, and built-ins count for nothing", () => {
    expect(inFront(many(66), { name: "nobody-knows" }).deferred).toEqual([]);
    expect(inFront([...builtins(40), ...many(300)], { name: "nobody-knows" }).deferred).toEqual([]);
    const large = many(90, { ...big, source: "builtin" }, "b");
    expect(inFront([...large, ...many(5)], {}).deferred).toEqual([]);
  });

  test("over a tenth of 200,000 tokens all are deferred for one that is not known to search, with the reason", () => {
    const world = inFront(many(100, big), { name: "nobody-knows" });
    expect(world.deferred.length).toBe(100);
    expect(world.codes("s__t000")).toEqual(["budget.deferred"]);
    const line = world.find("s__t000").trace[0]?.reason;
    expect(line?.text).toMatch(/^definitions of about \d+ tokens pass 10 % of 200000, and "nobody-knows" is not known/);
    expect(line?.fix).toContain("gateway.knownClients.nobody-knows.ownSearch: true");
    expect(inFront(many(100, big), { name: "Zed" }).deferred.length).toBe(100);
  });

  test("one that searches by itself gets everything, however much that is", () => {
    expect(inFront(many(900, big), { name: "claude-code" }).deferred).toEqual([]);
    expect(inFront(many(900, big), { name: "x", ownSearch: true }).deferred).toEqual([]);
  });

  test("what a client cannot take is deferred, and no more than that", () => {
    expect(inFront(many(128, big), { name: "Visual Studio Code" }).deferred).toEqual([]);
    const over = inFront(many(140, big), { name: "Visual Studio Code" });
    expect(over.visible.length).toBe(128);
    expect(over.visible).toContain("tool_search");
    expect(over.deferred.length).toBe(13);
    const line = over.find("s__t139").trace[0]?.reason;
    expect(line?.text).toBe('"Visual Studio Code" takes 128 tools');
    expect(line?.fix).toContain('gateway.knownClients."Visual Studio Code".maxTools');
    expect(over.noticeCodes()).toEqual(["toolset.over-cap"]);
  });

  test("what a person says of tool search holds there too", () => {
    expect(inFront(many(2), { name: "claude-code" }, { toolSearch: "on" }).deferred.length).toBe(2);
    expect(inFront(many(6), { name: "x" }, { toolSearch: { threshold: 5 } }).deferred.length).toBe(6);
    expect(inFront(many(31), { name: "x" }, { toolSearch: { threshold: 30 } }).deferred.length).toBe(31);
    expect(inFront(many(31), { name: "x" }, { toolSearch: "auto" }).deferred).toEqual([]);
    expect(inFront(many(31), { name: "x" }, { toolSearch: { percent: 20 } }).deferred).toEqual([]);
    expect(inFront(many(100, big), { name: "x" }, { toolSearch: "off" }).deferred).toEqual([]);
    expect(inFront(many(100, big), { name: "x" }, { toolSearch: { percent: 50 } }).deferred).toEqual([]);
  });

  test("a model that was not shown all tools, and will not ask again, can search", () => {
    expect(inFront(many(2), { name: "claude-code" }).names).not.toContain("tool_search");
    expect(inFront(many(2), { name: "claude-code", late: true }).visible).toContain("tool_search");
  });
});

describe("when tools are deferred (D1)", () => {
  test("thirty permitted tools are not, thirty-one are, and then all that can be", () => {
    expect(ask(many(30)).deferred.length).toBe(0);
    expect(ask(many(31)).deferred.length).toBe(31);
    expect(ask([...builtins(30), ...many(1)]).visible.length).toBe(31);
    expect(ask([...builtins(30), ...many(1)]).deferred).toEqual(["s__t000"]);
  });

  test("definitions beyond 10 % of the window are, by the deferrable ones alone", () => {
    const big = { description: "x".repeat(50_000) };
    expect(ask(many(3, big)).deferred.length).toBe(3);
    expect(ask(many(3, big), { model: { contextWindow: 1_000_000 } }).deferred).toEqual([]);
    expect(ask(many(3, { ...big, source: "builtin" })).deferred).toEqual([]);
    expect(ask([...many(3, { ...big, defer: "never" }), ...many(2, {}, "u")]).deferred).toEqual([]);
  });

  test.each([
    ["on", 1, 1],
    ["off", 100, 0],
    [{ threshold: 0 }, 1, 1],
    [{ threshold: 5 }, 5, 0],
    [{ threshold: 5 }, 6, 6],
    [{ percent: 0 }, 1, 1],
    [{ threshold: 100, percent: 100 }, 90, 0],
  ])("toolSearch %j with %d tools defers %d", (toolSearch, count, deferred) => {
    expect(ask(many(count), { toolSearch }).deferred.length).toBe(deferred);
  });

  test("off leaves the cap", () => {
    const world = ask(many(130), { toolSearch: "off" });
    expect(world.visible.length).toBe(128);
    expect(world.deferred).toEqual(["s__t127", "s__t128", "s__t129"]);
    expect(world.codes("s__t129")).toEqual(["budget.over-cap"]);
    expect(world.noticeCodes()).toEqual(["toolset.over-cap"]);
    expect(ask(many(128), { toolSearch: "off" }).deferred).toEqual([]);
  });

  test("a denied tool_search defers nothing, save by the cap, and then says so", () => {
    for (const denial of [{ permissions: { deny: ["tool_search"] } }, { policy: { deniedTools: ["ToolSearch"] } }]) {
      expect(ask(many(40), denial).deferred).toEqual([]);
      expect(ask(many(40), denial).noticeCodes()).toEqual([]);
      const over = ask(many(130), denial);
      expect(over.visible.length).toBe(128);
      expect(over.names).not.toContain("tool_search");
      expect(over.noticeCodes()).toEqual(["toolset.over-cap", "search.denied"]);
    }
  });

  test("a deny rule with a pattern does not deny tool_search", () => {
    expect(ask(many(40), { permissions: { deny: ["tool_search(x)"] } }).visible).toEqual(["tool_search"]);
  });
});

describe("what can be deferred (D2)", () => {
  test.each([
    ["mcp", true],
    ["external", true],
    ["module", true],
    ["skill", true],
    ["builtin", false],
    ["agent", false],
  ])("%s tools: %j", (source, can) => {
    expect(ask(many(1, { source }), { toolSearch: "on" }).deferred.length).toBe(can ? 1 : 0);
    expect(ask(many(1, { source, defer: "never" }), { toolSearch: "on" }).deferred).toEqual([]);
  });

  test("a server or the selected agent may say never", () => {
    const tools = [...many(2), ...many(1, { server: "other" }, "o")];
    expect(ask(tools, { toolSearch: "on", servers: { s: { defer: "never" } } }).deferred).toEqual(["other__o000"]);
    const agent = { agent: "a", agents: [{ name: "a", defer: "never" }] };
    expect(ask(tools, { toolSearch: "on", ...agent }).deferred).toEqual([]);
  });
});

describe("the cap (D3)", () => {
  const capped = (maxTools: number, tools: readonly object[], more: object = {}) =>
    ask(tools, { model: { maxTools }, ...more });

  test("last in catalog order goes first, also built-ins and what says never", () => {
    const world = capped(4, [...builtins(3), ...many(3, { defer: "never" })], { toolSearch: "off" });
    expect(world.visible).toEqual(["b000", "b001", "b002", "tool_search"]);
    expect(world.deferred).toEqual(["s__t000", "s__t001", "s__t002"]);
    expect(capped(3, builtins(5)).visible).toEqual(["b000", "b001", "tool_search"]);
  });

  test("a cap of one leaves tool_search alone", () => {
    expect(capped(1, builtins(3)).visible).toEqual(["tool_search"]);
    expect(capped(1, builtins(1)).visible).toEqual(["b000"]);
  });

  test("what just fits stays, and tool_search counts as soon as it is there", () => {
    expect(capped(5, builtins(5)).deferred).toEqual([]);
    const world = capped(5, [...builtins(5), ...many(1)]);
    expect(world.visible).toEqual(["b000", "b001", "b002", "b003", "tool_search"]);
    expect(world.deferred).toEqual(["b004", "s__t000"]);
  });

  test("hidden tools take no room", () => {
    expect(capped(5, [...builtins(5), ...many(50)], { excludeTools: ["mcp:*"] }).deferred).toEqual([]);
  });

  test("promoted tools keep their room until nothing else is left, and then the oldest goes", () => {
    const tools = [...builtins(2), ...many(3)];
    const { catalog } = ask(tools);
    const promoted = { catalogHash: catalog.hash, names: ["s__t002", "s__t000"] };
    expect(capped(4, tools, { toolSearch: "on", promoted }).visible).toEqual([
      "b000",
      "tool_search",
      "s__t002",
      "s__t000",
    ]);
    expect(capped(2, tools, { toolSearch: "on", promoted }).visible).toEqual(["tool_search", "s__t000"]);
    expect(capped(3, tools, { toolSearch: "on", promoted }).visible).toEqual(["tool_search", "s__t002", "s__t000"]);
  });
});

describe("promotions (D5)", () => {
  const tools = [...builtins(1), ...many(3)];
  const { catalog } = ask(tools);
  const signature = (name: string) => catalog.entries.find(({ wireName }) => wireName === name)?.signature;
  const visible = (promoted: object, more: object = {}) => ask(tools, { toolSearch: "on", promoted, ...more }).visible;

  test.each([
    ["the same hash", { catalogHash: catalog.hash, names: ["s__t000"] }, true],
    ["another hash and no signature", { catalogHash: "0", names: ["s__t000"] }, false],
    ["no hash and no signature", { names: ["s__t000"] }, false],
    [
      "another hash and the same signature",
      { catalogHash: "0", names: ["s__t000"], signatures: { s__t000: signature("s__t000") } },
      true,
    ],
    ["no hash and the same signature", { names: ["s__t000"], signatures: { s__t000: signature("s__t000") } }, true],
    [
      "another tool's signature",
      { catalogHash: "0", names: ["s__t000"], signatures: { s__t000: signature("s__t001") } },
      false,
    ],
    [
      "a signature without the name",
      { catalogHash: "0", names: [], signatures: { s__t000: signature("s__t000") } },
      false,
    ],
    ["a name that is not a wire name", { catalogHash: catalog.hash, names: ["s/t000", "T000", "__proto__"] }, false],
  ])("under %s", (_how, promoted, lives) => {
    expect(visible(promoted)).toEqual(lives ? ["b000", "tool_search", "s__t000"] : ["b000", "tool_search"]);
  });

  test("no gate is passed by a promotion", () => {
    const promoted = { catalogHash: catalog.hash, names: ["s__t000"] };
    for (const more of [
      { excludeTools: ["s/t000"] },
      { policy: { deniedMcpServers: ["s"] } },
      { permissions: { deny: ["mcp__s"] } },
      { skills: [{ name: "k", allowedTools: ["s/t001"] }] },
      { mode: "plan" },
    ])
      expect(visible(promoted, more)).not.toContain("s__t000");
  });

  test("a tool that is visible anyway keeps its place", () => {
    const promoted = { catalogHash: catalog.hash, names: ["s__t002", "b000"] };
    expect(ask(tools, { promoted }).visible).toEqual(["b000", "s__t000", "s__t001", "s__t002"]);
  });
});
