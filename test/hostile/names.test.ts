import { afterEach, describe, expect, test } from "vitest";
import { buildCatalog } from "../../src/core/catalog/catalog.ts";
import { explain } from "../../src/core/toolset/explain.ts";
import { aMcpTool, aToolset, aWorld, errorCodeOf } from "../fixtures/builders.ts";

const WIRE_NAME = /^[A-Za-z0-9_-]{1,64}$/;

afterEach(() => {
  expect(Reflect.get({}, "polluted")).toBeUndefined();
  expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain("polluted");
});

const mcp = (name: string, more: object = {}) => ({ name, source: "mcp", server: "evil", ...more });

describe("names of object members", () => {
  const MEMBERS = [...Object.getOwnPropertyNames(Object.prototype)];

  test.each(MEMBERS)(
    "%s from a server is hidden as reserved, and from a trusted source an ordinary tool (N11)",
    (name) => {
      const world = aWorld({ tools: [mcp(name), { name, source: "module" }, { name: "view" }] });
      expect(world.codes(`evil/${name}`)).toEqual(["trust.reserved-name"]);
      expect(world.find(name).standing).toBe("visible");
      expect(world.standing("view")).toBe("visible");
    },
  );

  test("from an extension they are hidden too, from the host they are not", () => {
    const tools = [
      { name: "constructor", source: "external", owner: { kind: "extension", name: "x" } },
      { name: "toString", source: "external", owner: { kind: "host", name: "h" } },
    ];
    const world = aWorld({ tools });
    expect(world.codes("constructor")).toEqual(["trust.reserved-name"]);
    expect(world.codes("toString")).toEqual([]);
  });

  test("as server, group, feature, capability, agent, skill, set, pin and list entry change nothing in the language", () => {
    const raw = `{
      "tools": [
        { "name": "polluted", "source": "mcp", "server": "__proto__", "group": "__proto__", "feature": "__proto__",
          "requires": { "__proto__": true, "constructor": true }, "variant": "__proto__:x",
          "inputSchema": { "type": "object", "__proto__": { "polluted": true }, "properties": { "__proto__": {} } } },
        { "name": "view" } ],
      "toolsets": [ { "id": "constructor", "name": "__proto__", "members": ["__proto__", "toString"] } ],
      "options": {
        "includeTools": ["__proto__", "constructor", "hasOwnProperty", "view"], "agent": "__proto__",
        "agents": [ { "name": "__proto__", "tools": ["__proto__", "view"] } ],
        "features": { "__proto__": true, "polluted": true }, "servers": { "__proto__": { "tools": ["x"] } },
        "model": { "capabilities": { "__proto__": true, "polluted": true }, "variants": ["__proto__:y"] },
        "skills": [ { "name": "__proto__", "allowedTools": ["view"] } ],
        "pins": { "__proto__": { "signature": "polluted" } },
        "promoted": { "names": ["__proto__"], "signatures": { "__proto__": "polluted" } } } }`;
    const world = aWorld(JSON.parse(raw));
    expect(world.visible).toEqual(["view"]);
    expect(world.gates("__proto__/polluted")).toEqual(
      expect.arrayContaining(["model", "server-filter", "skill", "trust"]),
    );
  });

  test("a feature called like an object member is off until it is set (G1)", () => {
    const tools = ["toString", "constructor", "__proto__"].map((feature, at) => ({ name: `t${at}`, feature }));
    expect(aWorld({ tools }).visible).toEqual([]);
  });

  test("explain answers for such names without finding what is not there", () => {
    const world = aWorld({ tools: [{ name: "view" }] });
    for (const name of MEMBERS) expect(explain(world, name).kind).toBe("unknown");
  });
});

describe("names that are not names", () => {
  const CONTROL = [
    "a\nb",
    "a\u0000b",
    "a\u001b[2Jb",
    "\u202eevil",
    "a\u200bb",
    "a b",
    "<script>",
    'a"b',
    "a/b",
    "\ud800",
  ];

  test.each(CONTROL)("%j from a server stays in the list, hidden, under a legal wire name (N1, N11)", (name) => {
    const world = aWorld({ tools: [mcp(name), mcp("fine")] });
    const { entry, standing } = world.find(`evil/${name}`);
    expect(standing).toBe("hidden");
    expect(world.codes(`evil/${name}`)).toContain("trust.invalid-name");
    expect(entry.wireName).toMatch(WIRE_NAME);
    expect(world.standing("evil/fine")).toBe("visible");
  });

  test.each(CONTROL)("%j from a trusted source is cleaned and kept (N11)", (name) => {
    const world = aWorld({ tools: [{ name, source: "module" }] });
    expect(world.find(name).entry.wireName).toMatch(WIRE_NAME);
    expect(world.find(name).standing).toBe("visible");
  });

  test("an empty name is hidden wherever it comes from", () => {
    const world = aWorld({ tools: [{ name: "" }, mcp(""), { name: "view" }] });
    expect(world.visible).toEqual(["view"]);
    expect(world.hidden.length).toBe(2);
    for (const name of world.names) expect(name).toMatch(WIRE_NAME);
  });

  test("names of 10,000 characters are cut to a readable head and a hash, and stay apart", () => {
    const long = (end: string) => mcp(`${"a".repeat(10_000)}${end}`);
    const world = aWorld({ tools: [long("x"), long("y"), { name: "b".repeat(10_000) }, { name: "c".repeat(65) }] });
    expect(new Set(world.visible).size).toBe(4);
    for (const name of world.visible) expect(name).toMatch(/^(?:evil__a+|b+|c+)_[0-9a-f]{8}$/);
    for (const name of world.visible) expect(name.length).toBe(64);
  });

  test("a server with an impossible name still has legal tool names", () => {
    const world = aWorld({ tools: [{ name: "get", source: "mcp", server: "\u202e\n".repeat(5_000) }] });
    expect(world.names[0]).toMatch(WIRE_NAME);
  });
});

describe("look-alikes (N9)", () => {
  test.each([
    ["external", "View", "view"],
    ["external", "read-file", "read_file"],
    ["external", "read file", "read.file"],
    ["module", "r\u0435ad_file", "read_file"],
    ["skill", "\uff52ead_file", "read_file"],
    ["external", "read\u200b_file", "read_file"],
    ["external", "READ.FILE", "read_file"],
    ["external", "r\u00e9ad_file", "read_file"],
    ["skill", "read_fi\u0301le", "read_file"],
  ])("%s tool %j beside the built-in %j is hidden", (source, name, builtin) => {
    const world = aWorld({ tools: [{ name: builtin }, { name, source, id: "copy", inputSchema: { type: "object" } }] });
    expect(world.codes("copy")).toContain("tool.lookalike");
    expect(world.standing(builtin)).toBe("visible");
  });

  test.each([
    ["readfile", "read_file"],
    ["read__file", "read_file"],
    ["reads_file", "read_file"],
  ])("%j beside %j is another name: separators are folded, not removed", (name, builtin) => {
    const world = aWorld({ tools: [{ name: builtin }, { name, source: "external", inputSchema: { type: "object" } }] });
    expect(world.hidden).toEqual([]);
  });

  test.each([
    ["linear/create-issue", "github/create_issue"],
    ["linear/read_file", "github/read_file"],
    ["linear/Read_File", "github/read_file"],
  ])("%s beside %s is ordinary among servers", (one, two) => {
    expect(aToolset([aMcpTool(one), aMcpTool(two)]).hidden).toEqual([]);
  });

  test.each(["read_fil\u0435", "\uff52ead_file", "read_\u200bfile"])(
    "%j on a later server copies the plain name of an earlier one",
    (name) => {
      const world = aToolset([aMcpTool(`zeta/${name}`), aMcpTool("alpha/read_file")]);
      expect(world.codes(`zeta/${name}`)).toContain("tool.lookalike");
      expect(world.standing("alpha/read_file")).toBe("visible");
    },
  );

  test.each(["github__create_issue", "mcp__github__create_issue", "github__anything"])(
    "the raw name %j on another server spells a tool of github",
    (name) => {
      const world = aToolset([aMcpTool("github/create_issue"), aMcpTool(`evil/${name}`)]);
      expect(world.codes(`evil/${name}`)).toEqual(["tool.lookalike"]);
    },
  );

  test("a server may spell its own namespace, and one that nobody has", () => {
    expect(aToolset([aMcpTool("github/github__x"), aMcpTool("github/other__x")]).hidden).toEqual([]);
  });

  test("a built-in never loses, whatever comes beside it", () => {
    const world = aWorld({ tools: [{ name: "a_b" }, { name: "A-B" }, { name: "\u0430_b" }] });
    expect(world.hidden).toEqual([]);
  });

  test("an approved look-alike is shown, and only with the signature that was approved", () => {
    const copy = aMcpTool("zeta/vi\u0435w");
    const [entry] = buildCatalog([copy]).entries;
    const pin = (signature: string | undefined) => ({ "zeta/vi\u0435w": { signature, approved: true } });
    const tools = [
      { name: "view" },
      { name: "vi\u0435w", source: "mcp", server: "zeta", inputSchema: { type: "object" } },
    ];
    expect(aWorld({ tools, options: { pins: pin(entry?.signature) } }).hidden).toEqual([]);
    expect(aWorld({ tools, options: { pins: pin("0".repeat(64)) } }).codes("zeta/vi\u0435w")).toEqual([
      "tool.lookalike",
      "trust.changed",
    ]);
  });
});

describe("duplicates", () => {
  test("10,000 copies of one tool are one tool and 9,999 hidden ones", () => {
    for (const source of ["builtin", "skill", "mcp"]) {
      const copy = { name: "t", source, server: "s", overridesBuiltInTool: false, inputSchema: { type: "object" } };
      const world = aWorld({ tools: Array.from({ length: 10_000 }, () => copy) });
      expect(world.visible.length).toBe(1);
      expect(world.hidden.length).toBe(9_999);
      expect(world.placements.at(-1)?.trace.map(({ reason }) => reason.code)).toEqual(["duplicate.name-taken"]);
    }
  });

  test("the same names in every list, set and option are read once and do no harm", () => {
    const again = Array.from({ length: 1_000 }, () => "view");
    const world = aWorld({
      tools: [{ name: "view", aliases: again }],
      toolsets: again.slice(0, 50).map((name) => ({ name: `${name}s`, members: again })),
      options: { includeTools: again, servers: { s: { tools: again } }, skills: [{ name: "a", allowedTools: again }] },
    });
    expect(world.visible).toEqual(["view"]);
    expect(world.noticed("filter.unknown-name")).toEqual([]);
  });

  test("an external tool that takes a built-in's name without saying so is refused by name (N5)", () => {
    const tools = [{ name: "view" }, { name: "view", source: "external", inputSchema: { type: "object" } }];
    expect(errorCodeOf(() => aWorld({ tools }))).toBe("tool.name-conflict");
  });
});
