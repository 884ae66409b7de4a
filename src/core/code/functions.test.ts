import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildCatalog } from "../catalog/catalog.ts";
import { readWorld } from "../scene/world.ts";
import { type Tool, type ToolFields, toTool } from "../tool/tool.ts";
import { buildToolset } from "../toolset/build-toolset.ts";
import { toDeclaration, writeSignature } from "./declare-function.ts";
import { type CodeFunction, toFunctions } from "./functions.ts";
import { isIdentifier } from "./identifier.ts";

const mcp = (server: string, name: string, more: Partial<ToolFields> = {}) =>
  toTool({ name, server, source: "mcp", ...more });
const functionsOf = (tools: readonly Tool[], options: object = {}) =>
  toFunctions(buildToolset(buildCatalog(tools), readWorld({ options: { code: "on", ...options } }, "test").scene));
const only = (tool: Tool): CodeFunction => functionsOf([tool]).all[0] ?? expect.fail("no function");

describe("functions", () => {
  test("are named by server and tool, as JavaScript can write them", () => {
    const { all, servers } = functionsOf([
      toTool({ name: "view" }),
      toTool({ name: "deploy", source: "module" }),
      mcp("git-hub", "get-self"),
      mcp("git-hub", "get_self"),
      mcp("tools", "delete"),
      mcp("7", "7up"),
    ]);
    expect(servers).toEqual(["builtin", "custom", "_7", "git_hub", "tools_"]);
    expect(all.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        "builtin.view",
        "custom.deploy",
        "git_hub.get_self",
        "git_hub.get_self_2",
        "tools_.delete_",
        "_7._7up",
      ]),
    );
  });

  test("are found by every name of their tool, and hidden tools by none", () => {
    const functions = functionsOf([mcp("a", "get-x"), mcp("a", "secret")], { excludeTools: ["a/secret"] });
    for (const name of ["a.get_x", "a.get-x", "a__get-x", "a/get-x"])
      expect(functions.find(name)?.path, name).toBe("a.get_x");
    for (const name of ["a.secret", "a__secret", "a/secret", "run_code", "builtin.run_code", "tool_search"])
      expect(functions.find(name), name).toBeUndefined();
  });

  test("each tool has one of its own, whatever it is called", () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { maxLength: 8 });
    fc.assert(
      fc.property(names, names, (servers, own) => {
        const tools = servers.flatMap((server) => own.map((name) => mcp(server, name)));
        const { all } = functionsOf(tools, { allowNoTools: true });
        expect(new Set(all.map(({ path }) => path)).size).toBe(all.length);
        for (const { path } of all) expect(path.split(".").every(isIdentifier), path).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

describe("declarations", () => {
  test("have types from both schemas, and what was written about tool and parameters", () => {
    const tool = mcp("github", "create_issue", {
      description: "Creates an issue. */ alert(1)",
      inputSchema: {
        type: "object",
        properties: {
          title: { type: "string", description: "What it is\nabout" },
          labels: { type: "array", items: { enum: ["bug", "idea"] } },
          at: { $ref: "#/$defs/place" },
          "due-date": { type: ["string", "null"] },
        },
        required: ["title"],
        $defs: { place: { type: "object", properties: { x: { type: "integer" } }, required: ["x"] } },
      },
      outputSchema: { type: "object", properties: { number: { type: "integer" } }, required: ["number"] },
    });
    expect(writeSignature(only(tool))).toBe(
      'github.create_issue(args: { title: string; labels?: ("bug" | "idea")[]; at?: { x: number }; "due-date"?: string | null }): Promise<{ number: number }>',
    );
    expect(toDeclaration(only(tool))).toBe(
      [
        "/** Creates an issue. * / alert(1) */",
        "github.create_issue(args: {",
        "  /** What it is about */",
        "  title: string;",
        '  labels?: ("bug" | "idea")[];',
        "  at?: {",
        "    x: number;",
        "  };",
        '  "due-date"?: string | null;',
        "}): Promise<{ number: number }>",
      ].join("\n"),
    );
  });

  test("say that a result is text where nothing is said about it", () => {
    expect(writeSignature(only(mcp("time", "now")))).toBe("time.now(): Promise<string>");
    const optional = mcp("time", "now", { inputSchema: { type: "object", properties: { zone: { type: "string" } } } });
    expect(writeSignature(only(optional))).toBe("time.now(args?: { zone?: string }): Promise<string>");
  });

  test("end for any schema, and no text of it can end a comment", () => {
    const loop = { type: "object", properties: { again: { $ref: "#" } } };
    expect(writeSignature(unjudged(mcp("s", "any", { inputSchema: loop }))).length).toBeLessThan(500);
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.string(), (schema, description) => {
        const tool = mcp("s", "any", { inputSchema: schema, outputSchema: schema, description });
        const text = toDeclaration(unjudged(tool));
        expect(text).toContain("s.any(");
        expect(text.match(/\*\/(?!\n)/g)).toBeNull();
      }),
      { numRuns: 100 },
    );
  });
});

/** Whatever gates would say of it. */
function unjudged(tool: Tool): CodeFunction {
  const [entry] = buildCatalog([tool]).entries;
  if (entry === undefined) expect.fail("no entry");
  return { path: "s.any", server: "s", placement: { entry, standing: "visible", trace: [] } };
}
