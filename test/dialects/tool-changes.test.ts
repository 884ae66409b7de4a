import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildCatalog } from "../../src/core/catalog/catalog.ts";
import type { Tool } from "../../src/core/tool/tool.ts";
import { buildToolset } from "../../src/core/toolset/build-toolset.ts";
import { type AnthropicPayload, anthropic } from "../../src/doors/anthropic.ts";
import { aMcpTool, aScene, aTool } from "../fixtures/builders.ts";

const builtins = ["view", "edit"].map((name) => aTool({ name, inputSchema: { type: "object" } }));
const pool = ["a", "b", "c", "d"].map((name) => aMcpTool(`s/${name}`, { inputSchema: { type: "object" } }));

function next(tools: readonly Tool[], before: AnthropicPayload | null, on = false): AnthropicPayload {
  const scene = aScene(on ? { toolSearch: { value: { use: "on" }, origin: { kind: "default" } } } : {});
  return anthropic.payload(buildToolset(buildCatalog([...builtins, ...tools]), scene), { toolChanges: before });
}

const loadedIn = ({ tools }: AnthropicPayload) =>
  JSON.stringify(tools.filter(({ defer_loading }) => defer_loading !== true));

describe("anthropic: tools that change in the middle of a conversation", () => {
  test("begin with a plain list and the header that allows for changes", () => {
    const first = next(pool.slice(0, 2), null);
    expect(first.changes).toEqual([]);
    expect(first.betas).toEqual(["mid-conversation-tool-changes-2026-07-01"]);
    expect(anthropic.payload(buildToolset(buildCatalog(builtins), aScene())).betas).toEqual([]);
  });

  test("a tool under the same name that is another one now takes a new list", () => {
    const first = next(pool.slice(0, 1), null);
    const other = aMcpTool("s/a", { description: "Does something else", inputSchema: { type: "object" } });
    const second = next([other], first);
    expect(second.changes).toEqual([]);
    expect(second.tools.find(({ name }) => name === "s__a")).toMatchObject({ description: "Does something else" });
  });

  test("whatever comes and goes: the loaded part keeps its bytes, and a model that reads all changes has what is shown", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ tools: fc.subarray(pool), on: fc.boolean() }), { minLength: 2, maxLength: 6 }),
        (history) => {
          let before: AnthropicPayload | null = null;
          const offered = new Set<string>();
          for (const { tools, on } of history) {
            const now: AnthropicPayload = next(tools, before, on);
            if (before === null) for (const { name, defer_loading } of now.tools) if (!defer_loading) offered.add(name);
            if (before !== null && on === false) expect(loadedIn(now)).toBe(loadedIn(before));
            for (const { type, tool } of now.changes.flatMap(({ content }) => content)) {
              expect(now.tools.map(({ name }) => name)).toContain(tool.name);
              if (type === "tool_addition") offered.add(tool.name);
              else offered.delete(tool.name);
            }
            const names = now.tools.map(({ name }) => name);
            expect(new Set(names).size).toBe(names.length);
            const shown = on
              ? ["edit", "view", "tool_search"]
              : ["edit", "view", ...tools.map(({ name }) => `s__${name}`)];
            const wanted = on && tools.length === 0 ? ["edit", "view"] : shown;
            expect(offered).toEqual(new Set(wanted));
            before = now;
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
