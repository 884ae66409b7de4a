import { type ArgumentsOf, type DefinedTool, defineTool, type Invocation } from "toolcrib";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";

describe("a handler's arguments", () => {
  test("follow from a JSON Schema literal, as in tool-define-typescript of the Copilot SDK", () => {
    defineTool("tool_name", {
      description: "What the tool does",
      parameters: {
        type: "object",
        properties: {
          query: { type: "string", description: "Search query" },
          limit: { type: "number", description: "Max results" },
        },
        required: ["query"],
      },
      handler: async (args, invocation) => {
        expectTypeOf(args).toEqualTypeOf<{ query: string; limit?: number }>();
        expectTypeOf(invocation).toEqualTypeOf<Invocation>();
        return { results: ["item1", "item2"] };
      },
    });
  });

  test("do so when the handler is written first", () => {
    defineTool("a", {
      handler: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ deep: { flags: boolean[] } }>();
        return "";
      },
      description: "",
      parameters: {
        type: "object",
        properties: {
          deep: {
            type: "object",
            properties: { flags: { type: "array", items: { type: "boolean" } } },
            required: ["flags"],
          },
        },
        required: ["deep"],
      },
    });
  });

  test("follow from a Zod schema, after its defaults, as in tool-zod-schemas", () => {
    const weather = defineTool("get_weather", {
      description: "Get weather for a city",
      parameters: z.object({
        city: z.string().describe("City name"),
        units: z.enum(["celsius", "fahrenheit"]).default("celsius"),
        days: z.number().optional(),
      }),
      handler: async (args) => {
        expectTypeOf(args.city).toEqualTypeOf<string>();
        expectTypeOf(args.units).toEqualTypeOf<"celsius" | "fahrenheit">();
        expectTypeOf(args.days).toEqualTypeOf<number | undefined>();
        return { temperature: 72, unit: args.units };
      },
    });
    expectTypeOf(weather.handler).parameter(0).toHaveProperty("city");
  });

  test("are some object where nothing is known", () => {
    type Anything = Record<string, unknown>;
    expectTypeOf<ArgumentsOf<undefined>>().toEqualTypeOf<Anything>();
    expectTypeOf<ArgumentsOf<Record<string, unknown>>>().toEqualTypeOf<Anything>();
    expectTypeOf<ArgumentsOf<{ type: string; required: string[] }>>().toEqualTypeOf<Anything>();
    expectTypeOf<ArgumentsOf<{ type: "object" }>>().toEqualTypeOf<Anything>();
    defineTool("now", {
      description: "",
      handler: (args) => {
        expectTypeOf(args).toEqualTypeOf<Anything>();
        return "";
      },
    });
  });
});

/** What an argument of that schema is. */
type FromJsonSchema<Schema> = ArgumentsOf<{ type: "object"; properties: { it: Schema }; required: ["it"] }>["it"];

test("every supported keyword has its type, and the others are unknown", () => {
  expectTypeOf<FromJsonSchema<{ type: "string" }>>().toEqualTypeOf<string>();
  expectTypeOf<FromJsonSchema<{ type: "number" }>>().toEqualTypeOf<number>();
  expectTypeOf<FromJsonSchema<{ type: "integer" }>>().toEqualTypeOf<number>();
  expectTypeOf<FromJsonSchema<{ type: "boolean" }>>().toEqualTypeOf<boolean>();
  expectTypeOf<FromJsonSchema<{ type: "null" }>>().toEqualTypeOf<null>();
  expectTypeOf<FromJsonSchema<{ type: "array" }>>().toEqualTypeOf<unknown[]>();
  expectTypeOf<FromJsonSchema<{ type: readonly ["string", "null"] }>>().toEqualTypeOf<string | null>();
  expectTypeOf<FromJsonSchema<{ enum: readonly ["a", 1] }>>().toEqualTypeOf<"a" | 1>();
  expectTypeOf<FromJsonSchema<{ type: "string"; const: "x" }>>().toEqualTypeOf<"x">();
  expectTypeOf<FromJsonSchema<{ type: "object"; properties: { a: { type: "null" } } }>>().toEqualTypeOf<{ a?: null }>();
  expectTypeOf<FromJsonSchema<{ anyOf: [] }>>().toBeUnknown();
  expectTypeOf<FromJsonSchema<{ $ref: "#/x" }>>().toBeUnknown();
});

test("defined tools of all kinds fit in one list", () => {
  const tools: readonly DefinedTool[] = [
    defineTool("a", { description: "", parameters: z.object({ city: z.string() }), handler: ({ city }) => city }),
    defineTool("b", { description: "", handler: () => null }),
  ];
  expectTypeOf(tools).toExtend<readonly DefinedTool[]>();
});

test("wrong definitions do not compile", () => {
  // @ts-expect-error: no handler
  defineTool("a", { description: "" });
  // @ts-expect-error: a result is text, an object or nothing (X8)
  defineTool("a", { description: "", handler: () => 5 });
  // @ts-expect-error: parameters are a schema
  defineTool("a", { description: "", parameters: "string", handler: () => "" });
  // @ts-expect-error: not a trait
  defineTool("a", { description: "", traits: { readonly: true }, handler: () => "" });
  defineTool("a", {
    description: "",
    parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    // @ts-expect-error: a number is not a string
    handler: ({ n }: { n: string }) => n,
  });
});
