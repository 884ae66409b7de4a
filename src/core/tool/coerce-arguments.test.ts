import { expect, test } from "vitest";
import { z } from "zod";
import { coerceArguments } from "./coerce-arguments.ts";
import { defineTool } from "./define-tool.ts";

const schema = z.object({
  count: z.coerce.number().int().optional().default(3),
  ratio: z.coerce.number().nullable(),
  loud: z.coerce.boolean(),
  to: z.coerce.string().min(1),
  sizes: z.array(z.object({ width: z.coerce.number() })),
  scores: z.record(z.string(), z.coerce.number()),
  doubled: z.coerce.number().transform((value) => value * 2),
  strict: z.number(),
});

test("what the author wants converted is converted, at any depth, and nothing else", () => {
  const given = {
    count: "5",
    ratio: " -1.5e2 ",
    loud: "false",
    to: 7,
    sizes: [{ width: "2" }],
    scores: { a: "1" },
    doubled: "4",
    strict: "6",
    other: "8",
  };
  expect(coerceArguments(given, schema)).toEqual({
    count: 5,
    ratio: -150,
    loud: false,
    to: "7",
    sizes: [{ width: 2 }],
    scores: { a: 1 },
    doubled: 4,
    strict: "6",
    other: "8",
  });
});

test.each([
  ["count", ["", " ", "five", "0x10", "Infinity", "12345678901234567890", true, null, ["5"], { valueOf: 5 }]],
  ["loud", ["yes", "", "1", 1, 0, null, ["true"]]],
  ["to", [null, ["a"], { toString: "a" }]],
])("%s: what would have to be guessed, or would lose something, stays as it is", (key, values) => {
  for (const value of values) expect(coerceArguments({ [key]: value }, schema)).toEqual({ [key]: value });
});

test("schemas that lead into themselves end with the arguments", () => {
  const node = z.object({
    value: z.coerce.number(),
    get next() {
      return node.optional();
    },
  });
  expect(coerceArguments({ value: "1", next: { value: "2", next: { value: "3" } } }, node)).toEqual({
    value: 1,
    next: { value: 2, next: { value: 3 } },
  });
});

test("only tools with a schema of Zod can want that", () => {
  const options = { description: "", handler: () => "" };
  expect(defineTool("a", { ...options, parameters: schema })).toHaveProperty("coerce");
  expect(defineTool("a", { ...options, parameters: { type: "object" } })).not.toHaveProperty("coerce");
  expect(coerceArguments({ count: "5" }, { type: "object" })).toEqual({ count: "5" });
});
