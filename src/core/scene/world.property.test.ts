import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { isToolcribError } from "../codes/toolcrib-error.ts";
import { readWorld } from "./world.ts";

afterEach(() => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

describe("a world from anywhere", () => {
  test("any JSON is a world or a ToolcribError, and no JSON changes Object.prototype", () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 4 }), expectWorldOrError));
  });

  test("so is any JSON under the keys of a world", () => {
    fc.assert(fc.property(nearlyWorld(), expectWorldOrError), { numRuns: 300 });
  });

  test("keys that reach for the prototype are data", () => {
    for (const place of ['{"tools":[{"name":"a","requires":X}]}', '{"options":X}', '{"options":{"servers":X}}', "X"]) {
      const text = place.replace("X", '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
      expectWorldOrError(JSON.parse(text));
    }
  });
});

describe("the cost is linear", () => {
  test("50,000 unknown keys, in every object", () => {
    const junk = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`includeTool${at}`, at]));
    const world = readWorld({ ...junk, tools: [{ ...junk, name: "a" }], options: { ...junk, model: junk } }, "w.json");
    expect(world.notices).toHaveLength(21);
  });

  test("5,000 levels of anything", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"original":', "}"],
      ['{"options":', "}"],
    ] as const) {
      const deep: unknown = JSON.parse(`${open.repeat(5_000)}null${close.repeat(5_000)}`);
      expectWorldOrError(deep);
      expectWorldOrError({ tools: deep, options: deep });
      expect(readWorld({ tools: [{ name: "a", inputSchema: deep }] }, "w.json").tools[0]?.inputSchema).toBe(deep);
      expectWorldOrError({
        tools: [{ name: "a", original: deep, owner: deep }],
        options: { model: deep, toolSearch: deep },
      });
    }
  });

  test("names of 10,000 characters, known and unknown", () => {
    const long = "n".repeat(10_000);
    const { tools, scene } = readWorld(
      {
        tools: [{ name: long, aliases: [long] }],
        options: { excludeTools: [long], servers: { [long]: {} }, [long]: 1 },
      },
      "w.json",
    );
    expect(tools[0]?.name).toBe(long);
    expect(scene.servers.has(long)).toBe(true);
    expectWorldOrError({ options: { agent: long, agents: [{ name: `${long}m` }] } });
  });

  test("100,000 problems are one short error", () => {
    const error = errorOf({ tools: Array.from({ length: 100_000 }, () => ({ name: 0 })) });
    expect(isToolcribError(error) && error.message.length).toBeLessThan(2_000);
  });
});

function expectWorldOrError(value: unknown): void {
  const error = errorOf(value);
  if (error !== null) expect(isToolcribError(error), String(error)).toBe(true);
}

function errorOf(value: unknown): unknown {
  try {
    readWorld(value, "w.json");
    return null;
  } catch (error) {
    return error;
  }
}

/** Real keys over values of all kinds, so that the reading gets past the first level. */
function nearlyWorld(): fc.Arbitrary<unknown> {
  const anything = fc.jsonValue({ maxDepth: 1 });
  const keyed = (keys: string, value: fc.Arbitrary<unknown>) =>
    fc.dictionary(fc.constantFrom(...keys.split(" ")), value, { maxKeys: 4 });
  const lists = fc.array(fc.oneof(anything, keyed("name id tools members active serverName serverUrl", anything)), {
    maxLength: 3,
  });
  const maps = keyed(
    "__proto__ constructor id capabilities variants maxTools deny names signatures threshold percent github tools signature",
    fc.oneof(anything, lists),
  );
  const option = fc.oneof(anything, lists, maps);
  return fc.record(
    {
      tools: fc.array(
        keyed("name source traits requires owner aliases original inputSchema timeout", fc.oneof(anything, maps)),
        { maxLength: 3 },
      ),
      toolsets: lists,
      options: keyed(
        "includeTools availableTools agent agents model policy servers permissions skills pins toolSearch promoted features",
        option,
      ),
    },
    { requiredKeys: [] },
  );
}
