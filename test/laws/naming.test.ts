import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildCatalog, type Catalog } from "../../src/core/catalog/catalog.ts";
import type { Entry } from "../../src/core/catalog/entry.ts";
import { WIRE_STYLES } from "../../src/core/catalog/wire-name.ts";
import type { Tool } from "../../src/core/tool/tool.ts";
import { anyCharacter } from "../fixtures/any-character.ts";
import { anyTools, read, type WorldTool } from "../fixtures/arbitraries.ts";

const WIRE_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const anyStyle = fc.constantFrom(...WIRE_STYLES);
const wildTools = fc
  .array(
    fc.record({
      name: fc.oneof(fc.string({ unit: anyCharacter, maxLength: 90 }), fc.stringMatching(/^[ab_.-]{0,4}$/)),
      server: fc.oneof(fc.string({ unit: anyCharacter, maxLength: 90 }), fc.stringMatching(/^[ab_.-]{0,4}$/)),
      source: fc.constantFrom("builtin", "module", "mcp", "mcp", "external"),
    }),
    { maxLength: 30 },
  )
  .map((tools) => tools.map((tool) => ({ ...tool, overridesBuiltInTool: true })));

function toolsOf(tools: readonly unknown[]): readonly Tool[] {
  return read({ tools }).tools;
}

/** Who a tool is, without any joined spelling: a server and a name for MCP, else the name alone (N2). */
function whoIs({ source, server, name }: Tool): string {
  return JSON.stringify(source === "mcp" ? [server, name] : [name]);
}

describe("wire names (N1)", () => {
  test("all are legal, whatever the sources say", () => {
    fc.assert(
      fc.property(wildTools, anyStyle, (tools, style) => {
        for (const { wireName } of buildCatalog(toolsOf(tools), { style }).entries) expect(wireName).toMatch(WIRE_NAME);
      }),
    );
  });

  test("no tool is dropped: each is in the catalog once", () => {
    fc.assert(
      fc.property(wildTools, anyStyle, (tools, style) => {
        const given = toolsOf(tools).filter(({ name, source }) => name !== "tool_search" || source !== "builtin");
        const kept = buildCatalog(given, { style }).entries.map(({ tool }) => tool);
        expect(new Set(kept)).toEqual(new Set(given));
        expect(kept.length).toBe(given.length);
      }),
    );
  });

  test("two tools share a name exactly when they are the same server's or the same unprefixed tool", () => {
    fc.assert(
      fc.property(fc.oneof(wildTools, anyTools), anyStyle, (tools, style) => {
        const byName = new Map<string, string>();
        const byIdentity = new Map<string, string>();
        for (const { tool, wireName } of buildCatalog(toolsOf(tools), { style }).entries) {
          const who = whoIs(tool);
          expect(byName.get(wireName) ?? who).toBe(who);
          expect(byIdentity.get(who) ?? wireName).toBe(wireName);
          byName.set(wireName, who);
          byIdentity.set(who, wireName);
        }
      }),
      { numRuns: 150 },
    );
  });

  test("a wire name leads back to one entry, and that entry leads to the name again", () => {
    fc.assert(
      fc.property(anyTools, anyStyle, (tools, style) => {
        const catalog = buildCatalog(toolsOf(tools), { style });
        const owners = new Map<string, Entry>();
        for (const entry of catalog.entries) {
          if (entry.nameOwner !== null) continue;
          expect(owners.has(entry.wireName)).toBe(false);
          owners.set(entry.wireName, entry);
        }
        for (const entry of catalog.entries) {
          const owner = owners.get(entry.wireName);
          if (entry.wireName === "tool_search") continue;
          expect(owner?.wireName).toBe(entry.wireName);
          expect(owner && whoIs(owner.tool)).toBe(whoIs(entry.tool));
        }
      }),
    );
  });

  test("a legal name that nobody else wants is left alone", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9-]{1,64}$/)), (names) => {
        const { entries } = buildCatalog(toolsOf(names.map((name) => ({ name }))));
        expect(entries.map(({ wireName, tool }) => wireName === tool.name)).toEqual(entries.map(() => true));
      }),
    );
  });

  test("the order of arrival changes no name and no hash (C3)", () => {
    const shuffled = anyTools.chain((tools) =>
      fc.tuple(fc.constant(tools), fc.shuffledSubarray(tools, { minLength: tools.length })),
    );
    fc.assert(
      fc.property(shuffled, anyStyle, ([tools, other], style) => {
        const one = buildCatalog(toolsOf(tools), { style });
        const two = buildCatalog(toolsOf(other), { style });
        expect(two.hash).toBe(one.hash);
        expect(two.entries.map(({ wireName }) => wireName)).toEqual(one.entries.map(({ wireName }) => wireName));
      }),
    );
  });
});

describe("a session", () => {
  const anyHistory = fc.array(anyTools, { minLength: 2, maxLength: 6 });

  function play(history: readonly (readonly WorldTool[])[], watch: (catalog: Catalog) => void): void {
    let previous: Catalog | null = null;
    for (const tools of history) {
      previous = buildCatalog(toolsOf(tools), { previous });
      watch(previous);
    }
  }

  test("never gives a name it has issued to another tool (N1)", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const issued = new Map<string, string>();
        play(history, ({ entries }) => {
          for (const { wireName, tool } of entries) {
            const who = whoIs(tool);
            expect(issued.get(wireName) ?? who).toBe(who);
            issued.set(wireName, who);
          }
        });
      }),
      { numRuns: 120 },
    );
  });

  test("keeps the name of every tool, whatever else comes and goes", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const named = new Map<string, string>();
        play(history, ({ entries }) => {
          for (const { wireName, tool } of entries) {
            const who = whoIs(tool);
            expect(named.get(who) ?? wireName).toBe(wireName);
            named.set(who, wireName);
          }
        });
      }),
      { numRuns: 120 },
    );
  });

  test("changes no byte of the built-in names when others join, even where built-ins have illegal names (C1)", () => {
    const builtins = fc
      .array(anyTools, { minLength: 1, maxLength: 1 })
      .map(([tools]) => (tools ?? []).map(({ server: _server, ...tool }) => ({ ...tool, source: "builtin" })));
    fc.assert(
      fc.property(builtins, anyTools, (own, others) => {
        const first = buildCatalog(toolsOf(own));
        const joined = others.filter(({ source }) => source !== "builtin");
        const second = buildCatalog(toolsOf([...own, ...joined]), { previous: first });
        const names = ({ entries }: Catalog) =>
          entries.filter(({ tool }) => tool.source === "builtin").map(({ wireName }) => wireName);
        expect(names(second)).toEqual(names(first));
      }),
    );
  });
});
