import { describe, expect, test } from "vitest";
import { aTool, aToolset, aWorld, errorCodeOf } from "../fixtures/builders.ts";
import { GENEROUS, growth } from "../fixtures/cost.ts";

const numbered = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);
const mcp = (server: string, name: string, more: object = {}) => ({ name, source: "mcp", server, ...more });
const spread = (count: number, more: object = {}) =>
  numbered(count, "t").map((name, at) => mcp(`s${at % 50}`, name, more));
const servers = (count: number) => Object.fromEntries(numbered(count, "s").map((name) => [name, {}]));
const asked = (world: unknown) => () => errorCodeOf(() => aWorld(world));

/** Each builds a world whose size grows with n in one hostile way. */
const CASES: readonly (readonly [string, number, (n: number) => unknown])[] = [
  ["tools", 1_000, (n) => ({ tools: spread(n) })],
  ["copies of one tool", 1_000, (n) => ({ tools: numbered(n, "").map(() => mcp("s", "t")) })],
  [
    "names that all need a hash",
    1_000,
    (n) => ({ tools: numbered(n, "x").map((end) => mcp("s", "a".repeat(80) + end)) }),
  ],
  [
    "names that clean to one",
    1_000,
    (n) => ({ tools: numbered(n, "").map((_, at) => mcp("s", `a${String.fromCodePoint(0x4e00 + at)}`)) }),
  ],
  [
    "look-alikes on as many servers",
    1_000,
    (n) => ({ tools: numbered(n, "s").map((server, at) => mcp(server, `view${"\u200b".repeat(at % 7)}`)) }),
  ],
  ["unknown names against tools", 1_000, (n) => ({ tools: spread(n), options: { excludeTools: numbered(n, "u") } })],
  [
    "unknown names against tools and servers",
    1_000,
    (n) => ({ tools: spread(n), options: { excludeTools: numbered(n, "u"), servers: servers(n) } }),
  ],
  [
    "unknown members of a toolset",
    1_000,
    (n) => ({ tools: spread(n), toolsets: [{ name: "k", members: numbered(n, "u") }] }),
  ],
  [
    "unknown names with every separator",
    1_000,
    (n) => ({ tools: spread(n), options: { excludeTools: numbered(n, "a-b__c/d:e") } }),
  ],
  ["known names", 1_000, (n) => ({ tools: spread(n), options: { excludeTools: numbered(n, "t") } })],
  [
    "aliases",
    2_500,
    (n) => ({
      tools: [{ name: "v", aliases: numbered(n, "a") }, { name: "w" }],
      options: { excludeTools: numbered(n, "a") },
    }),
  ],
  [
    "one alias of all tools",
    1_000,
    (n) => ({
      tools: numbered(n, "v").map((name) => ({ name, aliases: ["a"] })),
      options: { excludeTools: ["a", ...numbered(n, "u")] },
    }),
  ],
  [
    "needs of one tool",
    2_500,
    (n) => ({
      tools: [{ name: "v", requires: Object.fromEntries(numbered(n, "r").map((need) => [need, true])) }],
      options: { model: {} },
    }),
  ],
  [
    "promotions",
    1_000,
    (n) => ({ tools: spread(n), options: { toolSearch: "on", promoted: { names: numbered(n, "s0__t") } } }),
  ],
  [
    "pins",
    1_000,
    (n) => ({
      tools: spread(n),
      options: { pins: Object.fromEntries(numbered(n, "p").map((name) => [name, { signature: "x" }])) },
    }),
  ],
  [
    "properties of one schema",
    12_500,
    (n) => ({
      tools: [
        mcp("s", "t", {
          inputSchema: { type: "object", properties: Object.fromEntries(numbered(n, "p").map((name) => [name, {}])) },
        }),
      ],
    }),
  ],
  [
    "joiners in a description",
    12_500,
    (n) => ({
      tools: [
        mcp("s", "t", { description: "\u{1f468}\u200d".repeat(n) }),
        mcp("s", "u", { description: "\u05d0\u200f".repeat(n) }),
      ],
    }),
  ],
  [
    "marks in a name",
    12_500,
    (n) => ({ tools: [mcp("s", `${"a\u0301".repeat(n)}\u0301\u0301`), mcp("s", "\u0301".repeat(n))] }),
  ],
  [
    "separators in a list entry",
    12_500,
    (n) => ({ tools: spread(10), options: { excludeTools: ["s-".repeat(n), "s__".repeat(n)] } }),
  ],
  ["stars in a list entry", 2_500, (n) => ({ tools: spread(10), options: { excludeTools: [`${"*t".repeat(n)}`] } })],
  [
    "escapes in a schema",
    12_500,
    (n) => ({ tools: [mcp("s", "t", { inputSchema: { type: "object", title: "\\u\u0007".repeat(n) } })] }),
  ],
  ["wrong places in a world", 1_000, (n) => ({ tools: numbered(n, "").map(() => ({ name: 7, nme: "x" })) })],
  ["unknown keys in a world", 2_500, (n) => Object.fromEntries(numbered(n, "k").map((key) => [key, 1]))],
];

describe("the cost of hostile input grows with its size and no faster", () => {
  test.each(CASES)("%s", (_what, size, world) => {
    expect(growth(size, (n) => asked(world(n)))).toBeLessThan(GENEROUS);
  });

  test("levels of a schema built in memory", () => {
    const nested = (levels: number) => {
      let schema: unknown = {};
      for (let level = 0; level < levels; level++) schema = { a: schema };
      return schema;
    };
    const ratio = growth(2_500, (levels) => {
      const inputSchema = nested(levels);
      return () => aToolset([aTool({ name: "t", source: "mcp", server: "s", inputSchema })]);
    });
    expect(ratio).toBeLessThan(GENEROUS);
  });
});
