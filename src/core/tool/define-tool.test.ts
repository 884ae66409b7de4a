import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { isToolcribError, type ToolcribError } from "../codes/toolcrib-error.ts";
import { defineTool } from "./define-tool.ts";
import { inspectTool } from "./inspect-tool.ts";
import { toTool } from "./tool.ts";

const handler = () => "done";

describe("seed 002, tool-define-typescript", () => {
  const parameters = {
    type: "object",
    properties: { query: { type: "string" }, limit: { type: "number" } },
    required: ["query"],
  } as const;

  test("a definition becomes an external tool, with the code apart from the data", () => {
    const defined = defineTool("tool_name", { description: "What it does", parameters, handler });
    expect(defined.tool).toEqual(
      toTool({ name: "tool_name", source: "external", description: "What it does", inputSchema: parameters }),
    );
    expect(defined.handler).toBe(handler);
    expect(defined.parse).toBeUndefined();
    expect(JSON.parse(JSON.stringify(defined.tool))).toEqual(defined.tool);
    expect(inspectTool(defined.tool).flaws).toEqual([]);
  });

  test("parameters may be absent (N8)", () => {
    const { tool } = defineTool("now", { description: "The time", handler });
    expect(tool.inputSchema).toBeNull();
    expect(inspectTool(tool).flaws).toEqual([]);
  });

  test("changing the schema or a list afterwards does not change the tool", () => {
    const schema = { type: "object", properties: { a: { type: "string" } } };
    const aliases = ["b"];
    const { tool } = defineTool("a", { description: "", parameters: schema, aliases, handler });
    schema.properties.a.type = "number";
    aliases.push("view");
    expect(tool.inputSchema).toEqual({ type: "object", properties: { a: { type: "string" } } });
    expect(tool.aliases).toEqual(["b"]);
  });

  test("every option reaches the tool", () => {
    const options = {
      title: "T",
      aliases: ["x"],
      group: "g",
      defer: "never",
      feature: "F",
      requires: ["vision"],
      overridesBuiltInTool: true,
      skipPermission: true,
      timeout: 5_000,
      instructions: "How to",
    } as const;
    const { tool } = defineTool("a", { description: "D", traits: { readOnly: true }, handler, ...options });
    expect(tool).toMatchObject({ ...options, description: "D" });
    expect(tool.traits).toMatchObject({ readOnly: true, concurrencySafe: true });
  });
});

describe("seed 002, tool-zod-schemas", () => {
  const weather = defineTool("get_weather", {
    description: "Get weather for a city",
    parameters: z.object({
      city: z.string().describe("City name"),
      units: z.enum(["celsius", "fahrenheit"]).default("celsius"),
    }),
    handler: (args) => `${args.city} in ${args.units}`,
  });

  test("a Zod schema becomes the JSON Schema of what the model may send", () => {
    expect(weather.tool.inputSchema).toEqual({
      type: "object",
      properties: {
        city: { type: "string", description: "City name" },
        units: { type: "string", enum: ["celsius", "fahrenheit"], default: "celsius" },
      },
      required: ["city"],
    });
    expect(inspectTool(weather.tool).flaws).toEqual([]);
  });

  test("and parses arguments, with its defaults", async () => {
    expect(await weather.parse?.({ city: "Oslo" })).toEqual({ ok: true, args: { city: "Oslo", units: "celsius" } });
  });

  test("wrong arguments are told with their path", async () => {
    const parsed = await weather.parse?.({ city: 1, units: "kelvin" });
    expect(parsed).toMatchObject({
      ok: false,
      problems: [expect.stringMatching(/^city: .*string/), expect.stringMatching(/^units: /)],
    });
    expect(await weather.parse?.(null)).toMatchObject({ ok: false, problems: [expect.not.stringMatching(/^:/)] });
  });

  test("without the standard converter, Zod's own toJSONSchema is asked for the input side", () => {
    const parameters = {
      "~standard": { version: 1, vendor: "old", validate: (value: unknown) => ({ value }) },
      toJSONSchema: (options: unknown) => ({ $schema: "s", type: "object", title: JSON.stringify(options) }),
    } as const;
    expect(defineTool("a", { description: "", parameters, handler }).tool.inputSchema).toEqual({
      type: "object",
      title: '{"io":"input"}',
    });
  });

  test("schemas that are functions work too, as some libraries make them", () => {
    const parameters = Object.assign(() => true, {
      "~standard": {
        version: 1,
        vendor: "callable",
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => ({ type: "object" }) },
      },
    });
    expect(defineTool("a", { description: "", parameters, handler }).tool.inputSchema).toEqual({ type: "object" });
  });
});

describe("a bad definition is tool.invalid and says what to do", () => {
  const circular: Record<string, unknown> = { type: "object" };
  circular.self = circular;

  test.each<[string, unknown, unknown, string]>([
    ["no name", undefined, { description: "", handler }, "needs a name first"],
    ["an empty name", "", { description: "", handler }, "needs a name first"],
    ["no options", "a", undefined, "pass { description, parameters, handler }"],
    ["no handler", "a", { description: "" }, "its handler must be a function"],
    [
      "the schema under another name",
      "a",
      { inputSchema: {}, handler },
      '"inputSchema" is no option; did you mean parameters?',
    ],
    ["the handler under another name", "a", { execute: handler }, '"execute" is no option; did you mean handler?'],
    ["a misspelt option", "a", { skipPermision: true, handler }, "did you mean skipPermission?"],
    ["an option that is none", "a", { zebra: true, handler }, "its options are description, title"],
    ["a description that is no text", "a", { description: 1, handler }, "its description must be a string"],
    ["one alias in place of a list", "a", { aliases: "b", handler }, "its aliases must be a list of strings"],
    ["an unknown trait", "a", { traits: { readonly: true }, handler }, "its traits must be an object of readOnly"],
    ["a trait of the wrong type", "a", { traits: { readOnly: "yes" }, handler }, "its traits must be"],
    ["a way to interrupt that is none", "a", { traits: { interrupt: "stop" }, handler }, "its traits must be"],
    ["no time at all", "a", { timeout: 0, handler }, "its timeout must be a number of milliseconds above 0"],
    ["parameters that are text", "a", { parameters: "object", handler }, "a z.object() or a JSON Schema"],
    ["parameters that are a list", "a", { parameters: [], handler }, "a z.object() or a JSON Schema"],
    ["parameters that are a function", "a", { parameters: () => ({}), handler }, "a z.object() or a JSON Schema"],
    ["a schema of another type", "a", { parameters: { type: "array" }, handler }, "a z.object() or a JSON Schema"],
    ["a schema without a type (N8)", "a", { parameters: { properties: {} }, handler }, "a z.object() or a JSON Schema"],
    ["a Zod schema that is no object", "a", { parameters: z.string(), handler }, "a z.object() or a JSON Schema"],
    ["a Zod list of objects", "a", { parameters: z.array(z.object({})), handler }, "a z.object() or a JSON Schema"],
    ["a bare Zod shape", "a", { parameters: { city: z.string() }, handler }, "wrap them in z.object()"],
    [
      "what JSON Schema cannot say",
      "a",
      { parameters: z.object({ a: z.bigint() }), handler },
      "cannot be turned into JSON Schema",
    ],
    ["a schema that contains itself", "a", { parameters: circular, handler }, "cannot be turned into JSON Schema"],
    ["a schema without a converter", "a", { parameters: mini.object({}), handler }, "pass z.toJSONSchema(schema)"],
  ])("%s", (_, name, options, advice) => {
    expect(errorOf(name, options)).toMatchObject({ code: "tool.invalid", message: expect.stringContaining(advice) });
  });

  test("what null says is what absence says", () => {
    const keys = ["parameters", "title", "traits", "aliases", "group", "defer", "feature", "requires", "timeout"];
    const nulls = Object.fromEntries(keys.map((key) => [key, null]));
    const define: (...args: never[]) => { tool: unknown } = defineTool;
    expect(Reflect.apply(define, null, ["a", { ...nulls, description: null, handler }]).tool).toEqual(
      toTool({ name: "a", source: "external" }),
    );
  });
});

function errorOf(name: unknown, options: unknown): ToolcribError | null {
  try {
    Reflect.apply(defineTool, null, [name, options]);
  } catch (error) {
    if (isToolcribError(error)) return error;
    throw error;
  }
  return null;
}

test("a schema that is known by its toJSONSchema alone is asked for what it says (seed 002, tool-zod-schemas)", () => {
  class Shape {
    readonly #properties = { city: { type: "string" } };
    toJSONSchema() {
      return { $schema: "x", type: "object", properties: this.#properties };
    }
  }
  const { tool } = defineTool("t", { description: "d", parameters: new Shape(), handler: () => "" });
  expect(tool.inputSchema).toEqual({ type: "object", properties: { city: { type: "string" } } });
  const broken = { toJSONSchema: () => ({ type: "string" }) };
  expect(() => defineTool("t", { description: "d", parameters: broken, handler: () => "" })).toThrow(/z\.object\(\)/);
});
