import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toCanonicalJson } from "../../src/core/tool/canonical-json.ts";
import { toSignature } from "../../src/core/tool/inspect-tool.ts";
import { aTool } from "../fixtures/builders.ts";

/** JSON as a file holds it: no negative zero, and keys such as `__proto__` are ordinary. */
const anyJson = fc
  .oneof(
    fc.jsonValue({ maxDepth: 5 }),
    fc.dictionary(fc.constantFrom("__proto__", "a", "b", "10", "9", "\ud800", "\u00e9"), fc.jsonValue(), {
      noNullPrototype: true,
    }),
  )
  .map((value): unknown => JSON.parse(JSON.stringify(value)));

function shuffleKeys(value: unknown, pick: (choices: number) => number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffleKeys(item, pick));
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).map(([key, member]) => [key, shuffleKeys(member, pick)] as const);
  const mixed: (readonly [string, unknown])[] = [];
  for (const member of members) mixed.splice(pick(mixed.length + 1), 0, member);
  return Object.fromEntries(mixed);
}

const anyPick = fc.infiniteStream(fc.nat()).map((numbers) => (choices: number) => {
  const { value } = numbers.next();
  return Number(value) % choices;
});

function depthOf(value: unknown): number {
  if (value === null || typeof value !== "object") return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function nest(value: unknown, levels: number): unknown {
  let nested = value;
  for (let level = 0; level < levels; level++) nested = level % 2 === 0 ? [nested] : { in: nested };
  return nested;
}

describe("canonical JSON (N10)", () => {
  test("ignores the order of keys", () => {
    fc.assert(
      fc.property(anyJson, anyPick, (value, pick) => {
        expect(toCanonicalJson(shuffleKeys(value, pick))).toEqual(toCanonicalJson(value));
      }),
    );
  });

  test("is JSON of the same value, so equal text means equal value", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(JSON.parse(toCanonicalJson(value).text)).toEqual(value);
      }),
    );
  });

  test("tells different values apart", () => {
    fc.assert(
      fc.property(anyJson, anyJson, (one, two) => {
        const same = toCanonicalJson(one).text === toCanonicalJson(two).text;
        let equal = true;
        try {
          expect(one).toEqual(two);
        } catch {
          equal = false;
        }
        expect(same).toBe(equal);
      }),
    );
  });

  test("counts the levels", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(toCanonicalJson(value).depth).toBe(depthOf(value));
      }),
    );
  });

  test("writes the same far below the depth that recursion takes", () => {
    fc.assert(
      fc.property(anyJson, fc.constantFrom(498, 499, 500, 501, 3_000), (value, levels) => {
        const { text, depth } = toCanonicalJson(nest(value, levels));
        const inner = toCanonicalJson(value);
        expect(depth).toBe(inner.depth + levels);
        const half = Math.floor(levels / 2);
        const front = levels % 2 === 0 ? '{"in":['.repeat(half) : `[${'{"in":['.repeat(half)}`;
        expect(text.startsWith(front + inner.text)).toBe(true);
        expect(text.length).toBe(front.length + inner.text.length + levels);
      }),
      { numRuns: 30 },
    );
  });

  test("leaves out what JSON cannot say, and refuses a value that contains itself", () => {
    expect(toCanonicalJson({ b: undefined, a: () => 1, c: [undefined] }).text).toBe('{"c":[null]}');
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect(() => toCanonicalJson(loop)).toThrow("contains itself");
  });
});

describe("signatures (N10)", () => {
  test("do not depend on key order inside the schema", () => {
    fc.assert(
      fc.property(anyJson, anyPick, (value, pick) => {
        const schema = { type: "object", default: value };
        expect(toSignature(aTool({ name: "t", inputSchema: shuffleKeys(schema, pick) }))).toBe(
          toSignature(aTool({ name: "t", inputSchema: schema })),
        );
      }),
    );
  });

  test("differ whenever any signed field differs, also when text moves from one field to its neighbour", () => {
    const field = fc.constantFrom("", "a", 'a"', '","b":"', "b");
    const anyFields = fc.record({
      name: field,
      title: fc.option(field),
      description: field,
      overridesBuiltInTool: fc.boolean(),
      skipPermission: fc.boolean(),
      server: field,
    });
    fc.assert(
      fc.property(anyFields, anyFields, (one, two) => {
        const signature = (fields: typeof one) => toSignature(aTool({ ...fields, source: "mcp" }));
        expect(signature(one) === signature(two)).toBe(JSON.stringify(one) === JSON.stringify(two));
      }),
      { numRuns: 500 },
    );
  });
});
