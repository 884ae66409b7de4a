import fc from "fast-check";
import { expect, test } from "vitest";
import { buildCatalog } from "../catalog/catalog.ts";
import { inspectTool } from "./inspect-tool.ts";
import { isSoundDefinition } from "./sound-definition.ts";
import { type Tool, toTool } from "./tool.ts";

const deep = (levels: number): unknown => (levels === 0 ? "x" : { items: deep(levels - 1) });
const many = (count: number, part: unknown): unknown => Array.from({ length: count }, () => part);
const circle: Record<string, unknown> = { type: "object" };
circle.properties = circle;

const PLAIN = [
  "Lists all files.",
  'Says "hi"\n\tand \\u202e',
  "The user\u2019s key \u2014 caf\u00e9",
  "string",
  "#/$defs/a",
  "",
];
const ODD = [
  ...[
    "a\u202eb",
    "\u0007",
    "a\rb",
    "\ud800",
    "x\u200dy",
    "\u{1f600}",
    "http://x/y.json",
    "(a{1,900}){1,900}",
    "\ue000",
  ],
  ..."\u{e0041} \u007f \ufeff".split(" "),
];
const KEYS = ["type", "description", "properties", "items", "enum", "$schema", "$defs", "__proto__", "constructor"];
const ODD_KEYS = [
  ...["pattern", "patternProperties", "unevaluatedProperties", "$ref", "$dynamicRef"],
  ...["a\u202eb", "\u200b", "$", "\u00fc"],
];
const mostly = (usual: readonly string[], odd: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...usual) }, fc.constantFrom(...odd));
const VALUES = [...[1, true, null, Number.NaN, undefined], deep(29), deep(31), deep(80), circle];
const LISTS = [many(100, true), many(1_100, true), many(1_100, {}), many(9_999, "x"), many(30, "y".repeat(3_000))];
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 6, arbitrary: mostly(PLAIN, ODD) },
    { weight: 2, arbitrary: fc.constantFrom<unknown[]>(...VALUES, ...LISTS) },
    { weight: 2, arbitrary: fc.array(tie("value"), { maxLength: 3 }) },
    {
      weight: 8,
      arbitrary: fc.dictionary(mostly(KEYS, ODD_KEYS), tie("value"), { maxKeys: 4, noNullPrototype: true }),
    },
  ),
})).value;
const text = mostly(PLAIN, [...ODD, "z".repeat(59_000), "z".repeat(66_000), "\n".repeat(61_000)]);
const anyDefinition = fc.record({
  name: mostly(["get", "a.b-c_D9"], ["caf\u00e9", "", "a b", "constructor", "a\u202eb", "\u0430dd"]),
  source: fc.constantFrom("mcp", "openapi", "external", "builtin", "skill"),
  server: fc.constant("s"),
  title: fc.option(text),
  description: text,
  inputSchema: fc.oneof(
    value,
    fc.constant({ type: "object" }),
    value.map((a) => ({ type: "object", properties: { a } })),
  ),
  outputSchema: fc.option(value),
});

/** A pattern, which weighs next to nothing, is enough for a definition to be read closely. */
function asReadClosely(tool: Tool): Tool {
  const { inputSchema } = tool;
  if (typeof inputSchema !== "object" || inputSchema === null || Array.isArray(inputSchema)) return tool;
  return { ...tool, inputSchema: { pattern: "", ...inputSchema } };
}

test("a definition that is sound at a glance has no flaw when it is read closely", () => {
  let sound = 0;
  fc.assert(
    fc.property(anyDefinition, (fields) => {
      const tool = toTool(fields);
      const seen = inspectTool(tool);
      const read = inspectTool(asReadClosely(tool));
      expect(seen.flaws.map(({ code }) => code)).toEqual(read.flaws.map(({ code }) => code));
      expect(seen.scanned).toBe(read.scanned);
      if (isSoundDefinition(tool)) sound += 1;
    }),
    { numRuns: 600 },
  );
  expect(sound).toBeGreaterThan(60);
});

test.each<[string, Parameters<typeof toTool>[0]]>([
  ["text of many scripts", { name: "a", description: "Gr\u00fc\u00dfe \u2014 \u4f60\u597d" }],
  ["references into itself", { name: "a", inputSchema: { type: "object", $ref: "#/$defs/a", $defs: { a: {} } } }],
  ["several lines", { name: "a", description: "One.\n\tTwo." }],
])("%s is sound at a glance", (_, fields) => {
  expect(isSoundDefinition(toTool(fields))).toBe(true);
});

test.each([
  ["sound", { type: "object" }, "eeeb1fa66ee4b539ed35620ac8f988d6d422f320a837f8af28746dfbfd1c0a12", 13],
  [
    "read closely",
    { type: "object", pattern: "" },
    "157cfa44f1285992aef770ccebbde57155ab8151dbc90296bf85d5e355431183",
    17,
  ],
])(
  "the signature of a definition that is %s is the same whether it was asked for first or last",
  (_, inputSchema, signature, tokens) => {
    const tool = toTool({ name: "get", source: "mcp", server: "s", inputSchema });
    const other = { ...tool };
    expect(inspectTool(other).flaws).toEqual([]);
    for (const one of [tool, other]) {
      const [entry] = buildCatalog([one]).entries;
      expect([entry?.signature, entry?.tokens]).toEqual([signature, tokens]);
    }
  },
);
