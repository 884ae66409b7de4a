import { describe, expect, test } from "vitest";
import { aTool, aWorld, type JudgedWorld } from "../../../test/fixtures/builders.ts";
import { toSignature } from "../tool/inspect-tool.ts";

/** Gates that look at the definition and its neighbours: trust and duplicate. */
const ask = (tools: readonly object[], options: object = {}): JudgedWorld => aWorld({ tools, options });
const mcp = (name: string, more: object = {}) => ({
  name,
  source: "mcp",
  server: "s",
  inputSchema: { type: "object" },
  ...more,
});
const signature = toSignature(aTool({ name: "t", source: "mcp", server: "s" }));

describe("trust: pins (G13)", () => {
  const pinned = (pin: object | null, options: object = {}) =>
    ask([mcp("t"), { name: "view" }], { pins: { ...(pin ? { "s/t": pin } : { other: { signature } }) }, ...options });

  test("the pinned signature passes", () => {
    expect(pinned({ signature, approved: true }).codes("s/t")).toEqual([]);
    expect(pinned({ signature }).codes("s/t")).toEqual([]);
  });

  test("a tool that is not in the lock file is unpinned, save for our own", () => {
    expect(pinned(null).codes("s/t")).toEqual(["trust.unpinned"]);
    expect(pinned(null).visible).toEqual(["view"]);
  });

  test("another signature is a change, whether or not the old one was approved", () => {
    expect(pinned({ signature: "x", approved: true }).codes("s/t")).toEqual(["trust.changed"]);
    expect(pinned({ signature: "x", approved: false }).codes("s/t")).toEqual(["trust.changed"]);
  });

  test("a launch spec that changed is a change, where both sides know it", () => {
    const pin = { signature, approved: true, launch: "a" };
    expect(pinned(pin, { servers: { s: { launch: "b" } } }).codes("s/t")).toEqual(["trust.changed"]);
    expect(pinned(pin, { servers: { s: { launch: "a" } } }).codes("s/t")).toEqual([]);
    expect(pinned(pin, { servers: { s: {} } }).codes("s/t")).toEqual([]);
  });

  test("an empty map of pins is no lock file, unless the world says that there is one", () => {
    expect(ask([mcp("t")], { pins: {} }).visible).toEqual(["s__t"]);
    expect(ask([mcp("t")], { pins: {}, locked: true }).codes("s/t")).toEqual(["trust.unpinned"]);
  });

  test("a pin of one server's tool is no pin of another's of the same name", () => {
    const tools = [mcp("t"), mcp("t", { server: "evil" })];
    const world = ask(tools, { pins: { "s/t": { signature } } });
    expect(world.visible).toEqual(["s__t"]);
  });
});

describe("trust: definitions (G13)", () => {
  test.each([
    ["description", { description: "a\u202eb" }],
    ["title", { title: "a\u200bb" }],
    ["property name", { inputSchema: { type: "object", properties: { "a\u200bb": {} } } }],
    ["property description", { inputSchema: { type: "object", properties: { a: { description: "x\u001b[2J" } } } }],
    ["enum value", { inputSchema: { type: "object", properties: { a: { enum: ["\u2066"] } } } }],
    ["deep default", { inputSchema: { type: "object", default: [[[{ a: "\u{e0041}" }]]] } }],
  ])("a hidden character in the %s hides the tool", (_where, fields) => {
    for (const source of ["mcp", "external", "module", "skill", "agent"]) {
      const { placements } = ask([mcp("t", { source, ...fields })]);
      expect(placements[0]?.trace.map(({ reason }) => reason.code)).toEqual(["trust.hidden-text"]);
    }
  });

  test("a pattern that spells an escape, and an escaped backslash, are no hidden characters", () => {
    const inputSchema = {
      type: "object",
      properties: { a: { pattern: "^[^\\u0000-\\u001f\\u202e]+$", default: "\\\\u001b" } },
    };
    expect(ask([mcp("t", { inputSchema })]).visible).toEqual(["s__t"]);
  });

  test("built-ins are ours and not searched", () => {
    expect(ask([{ name: "t", description: "a\u200bb" }]).visible).toEqual(["t"]);
  });

  test("every flaw is a reason", () => {
    const world = ask([mcp("to string", { inputSchema: { type: "array" }, description: "\u202e" })]);
    expect(world.codes("s/to string")).toEqual(["trust.invalid-name", "tool.invalid-schema", "trust.hidden-text"]);
  });
});

describe("trust: names (N11)", () => {
  test.each([
    "get",
    "get_2",
    "get-x",
    "get.x",
    "\u540d\u524d",
    "\u0906\u091c\u093e",
    "\u00e9t\u00e9",
    "\u0627\u0633\u0645",
    "\u0664",
  ])("%s is an honest name in its script", (name) => {
    expect(ask([mcp(name)]).hidden).toEqual([]);
  });

  test.each([
    "a b",
    "a/b",
    "a:b",
    "a$",
    "a\u0301\u0301\u0301\u0301\u0301",
    "\u0301",
    "a\u200db",
    "\u{1f600}",
    "\u00b2",
    "a,b",
  ])("%j is not", (name) => {
    expect(ask([mcp(name)]).codes(`s/${name}`)).toContain("trust.invalid-name");
    const extension = { name, source: "external", owner: { kind: "extension", name: "x" } };
    expect(ask([extension]).codes(name)).toContain("trust.invalid-name");
  });

  test("connections and hosts are trusted, their names are cleaned", () => {
    const world = ask([{ name: "a b", source: "external", owner: { kind: "connection", name: "x" } }]);
    expect(world.visible).toEqual(["a_b"]);
  });
});

describe("duplicate (G14)", () => {
  test("the first in catalog order owns a name: built-in, module, skill, agent", () => {
    const order = ["builtin", "module", "skill", "agent"];
    for (let first = 0; first < order.length; first++) {
      const tools = order.slice(first).map((source) => ({ name: "t", source, id: source }));
      const world = ask(tools.toReversed());
      expect(world.visible).toEqual(["t"]);
      expect(world.find("t").entry.id).toBe(order[first]);
    }
  });

  test("a duplicate stays hidden while the owner is hidden by whatever gate", () => {
    const tools = [
      { name: "t", id: "owner", feature: "off" },
      { name: "t", id: "copy", source: "module" },
    ];
    for (const options of [{}, { policy: { deniedTools: ["owner"] } }, { excludeTools: ["owner"] }]) {
      const world = ask([...tools, { name: "view" }], options);
      expect(world.standing("copy")).toBe("hidden");
      expect(world.standing("owner")).toBe("hidden");
    }
  });

  test("N5: several external tools may claim a built-in's name; the first of them owns it", () => {
    const external = (id: string, kind: string, overridesBuiltInTool: boolean) => ({
      name: "t",
      id,
      source: "external",
      owner: { kind, name: kind },
      overridesBuiltInTool,
      inputSchema: { type: "object" },
    });
    const world = ask([{ name: "t", id: "own" }, external("e", "extension", false), external("h", "host", true)]);
    expect(world.find("t").entry.id).toBe("h");
    expect(["own", "e"].map((id) => world.codes(id))).toEqual([["duplicate.name-taken"], ["duplicate.name-taken"]]);
  });

  test("N1: names that meet only by cleaning or joining are no duplicates", () => {
    const tools = [
      { name: "a.b" },
      { name: "a_b" },
      { name: "scraper__get", source: "mcp", server: "web" },
      { name: "get", source: "mcp", server: "web__scraper" },
      { name: "web__x" },
      { name: "x", source: "mcp", server: "web" },
    ];
    const world = ask(tools);
    expect(world.gates("a.b")).not.toContain("duplicate");
    expect(new Set(world.names).size).toBe(6);
    expect(world.names).toEqual(expect.arrayContaining(["a_b", "web__scraper__get", "web__x"]));
    expect(world.find("web/scraper__get").entry.wireName).toBe("web__scraper__get");
    expect(world.find("web/x").entry.wireName).toMatch(/^web__x_[0-9a-f]{8}$/);
  });
});
