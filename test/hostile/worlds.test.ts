import { describe, expect, test } from "vitest";
import { aWorld, errorCodeOf, errorNamesOf } from "../fixtures/builders.ts";

describe("worlds of the wrong shape", () => {
  test.each([
    [null],
    [[]],
    ["{}"],
    [42],
    [true],
    [{ tools: {} }],
    [{ tools: "view" }],
    [{ tools: [null] }],
    [{ tools: ["view"] }],
    [{ tools: [{}] }],
    [{ tools: [{ name: null }] }],
    [{ tools: [{ name: 7 }] }],
    [{ tools: [{ name: ["view"] }] }],
    [{ tools: [{ name: "a", source: "nowhere" }] }],
    [{ tools: [{ name: "a", source: "__proto__" }] }],
    [{ tools: [{ name: "a", traits: { readOnly: "yes" } }] }],
    [{ tools: [{ name: "a", requires: { vision: 1 } }] }],
    [{ tools: [{ name: "a", aliases: "b" }] }],
    [{ toolsets: {} }],
    [{ toolsets: [{ name: "a", members: "b" }] }],
    [{ options: [] }],
    [{ options: { includeTools: "view" } }],
    [{ options: { includeTools: [null] } }],
    [{ options: { includeTools: ["a"], availableTools: ["a"] } }],
    [{ options: { mode: "PLAN" } }],
    [{ options: { mode: "toString" } }],
    [{ options: { model: "gpt" } }],
    [{ options: { model: { maxTools: 0 } } }],
    [{ options: { model: { maxTools: 1.5 } } }],
    [{ options: { toolSearch: "sometimes" } }],
    [{ options: { toolSearch: { threshold: -1 } } }],
    [{ options: { servers: [] } }],
    [{ options: { servers: { s: { tools: "*" } } } }],
    [{ options: { skills: {} } }],
    [{ options: { skills: [{ name: "s", allowedTools: "view" }] } }],
    [{ options: { policy: { deniedMcpServers: [{}] } } }],
    [{ options: { policy: { deniedMcpServers: [{ serverName: "a", serverUrl: "b" }] } } }],
    [{ options: { promoted: { names: "a" } } }],
    [{ options: { pins: { a: "sha" } } }],
  ])("%j is refused with the place that is wrong", (world) => {
    expect(errorCodeOf(() => aWorld(world))).toBe("world.invalid");
  });

  test("every wrong place is named at once", () => {
    const wrong = {
      tools: [{ name: 1 }, { name: "b", id: 2 }],
      options: { mode: 3, agents: [{ name: "a", tools: 4 }] },
    };
    expect(errorNamesOf(() => aWorld(wrong))).toEqual([
      "tools[0].name",
      "tools[1].id",
      "options.mode",
      "options.agents[0].tools",
    ]);
  });

  test.each([["Tool("], [""], [" "], ["()"], ["Tool()"], ["a)b"], ["(x)"]])(
    "the deny rule %j is refused, because a rule that means nothing protects nothing",
    (rule) => {
      expect(errorCodeOf(() => aWorld({ options: { permissions: { deny: [rule] } } }))).toBe("rule.invalid");
    },
  );

  test("an agent that does not exist is refused with the nearest name (A1)", () => {
    const options = { agent: "reviwer", agents: [{ name: "reviewer" }, { name: "__proto__" }] };
    expect(errorCodeOf(() => aWorld({ options }))).toBe("agent.unknown");
    expect(errorNamesOf(() => aWorld({ options }))).toEqual(["reviwer", "reviewer"]);
    expect(errorCodeOf(() => aWorld({ options: { agent: "toString" } }))).toBe("agent.unknown");
  });

  test("an unknown key is a notice, and the rest is read", () => {
    const world = JSON.parse(
      '{"tools":[{"name":"view","__proto__":{"name":"x"}}],"toString":1,"options":{"mod":"plan"}}',
    );
    expect(aWorld(world).visible).toEqual(["view"]);
  });

  test("a world without anything is an empty toolset, and says so (F4)", () => {
    expect(aWorld({}).noticeCodes()).toEqual(["toolset.empty"]);
  });
});
