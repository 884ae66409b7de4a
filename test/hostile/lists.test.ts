import { describe, expect, test } from "vitest";
import { aWorld, errorCodeOf, errorNamesOf } from "../fixtures/builders.ts";

const numbered = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe("toolsets in circles", () => {
  test("a set that contains itself has its other members", () => {
    const world = aWorld({
      tools: [{ name: "view" }, { name: "edit" }],
      toolsets: [{ name: "kit", members: ["kit", "toolset:kit", "kit/*", "view"] }],
      options: { includeTools: ["kit"] },
    });
    expect(world.visible).toEqual(["view"]);
  });

  test("two sets that contain each other have the members of both", () => {
    const toolsets = [
      { name: "one", members: ["two", "view"] },
      { name: "two", members: ["one", "edit"] },
    ];
    const tools = [{ name: "view" }, { name: "edit" }, { name: "grep" }];
    for (const name of ["one", "two"])
      expect(aWorld({ tools, toolsets, options: { includeTools: [name] } }).visible).toEqual(["edit", "view"]);
    expect(aWorld({ tools, toolsets }).sets.map(({ enabled }) => enabled)).toEqual([true, true]);
  });

  test("a ring of sets without any tool is off, and including it leaves nothing", () => {
    const toolsets = numbered(20, "s").map((name, at) => ({ name, members: [`s${(at + 1) % 20}`] }));
    const tools = [{ name: "view" }];
    expect(aWorld({ tools, toolsets }).sets.every(({ enabled }) => !enabled)).toBe(true);
    expect(errorCodeOf(() => aWorld({ tools, toolsets, options: { includeTools: ["s0"] } }))).toBe("filter.no-tools");
  });

  test("sets nested in sets reach the tools at the bottom", () => {
    const toolsets = numbered(12, "s").map((name, at) => ({ name, members: [at === 11 ? "view" : `s${at + 1}`] }));
    const tools = [{ name: "view" }, { name: "edit" }];
    expect(aWorld({ tools, toolsets, options: { includeTools: ["s0"] } }).visible).toEqual(["view"]);
  });
});

describe("names that nobody knows", () => {
  test("10,000 of them against 10,000 tools and 10,000 servers are an error that carries them all (F4)", () => {
    const tools = numbered(10_000, "t").map((name, at) => ({ name, source: "mcp", server: `s${at}` }));
    const servers = Object.fromEntries(numbered(10_000, "s").map((name) => [name, {}]));
    const includeTools = numbered(10_000, "nope");
    let thrown: unknown = null;
    try {
      aWorld({ tools, options: { includeTools, servers } });
    } catch (error) {
      thrown = error;
    }
    const again = () => {
      throw thrown;
    };
    expect(errorCodeOf(again)).toBe("filter.no-tools");
    expect(errorNamesOf(again)).toEqual(includeTools);
  });

  test("strings that look like syntax are unknown names, nothing else", () => {
    const odd = [
      "",
      "*/*",
      "//",
      ":",
      "mcp__",
      "mcp:",
      "builtin:",
      "/",
      "-",
      "__",
      "mcp____",
      "(*)",
      "a/b/c/d",
      "*:*",
      "**",
    ];
    const world = aWorld({ tools: [{ name: "view" }], options: { excludeTools: odd.filter((name) => name !== "**") } });
    expect(world.visible).toEqual(["view"]);
    expect(world.noticed("filter.unknown-name")).toEqual(odd.filter((name) => name !== "**"));
  });

  test("a name of 100,000 characters is reported without being repeated in full", () => {
    const long = "x".repeat(100_000);
    const world = aWorld({ tools: [{ name: "view" }], options: { excludeTools: [long] } });
    const notice = world.notices.find(({ code }) => code === "filter.unknown-name");
    expect(notice?.text.length).toBeLessThan(300);
  });

  test("a pattern of many stars is no trap", () => {
    const tools = [{ name: "a".repeat(60) }, { name: "view" }];
    const excludeTools = [`${"*a".repeat(50)}*b`];
    expect(aWorld({ tools, options: { excludeTools } }).hidden).toEqual([]);
  });
});
