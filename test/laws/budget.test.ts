import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Catalog } from "../../src/core/catalog/catalog.ts";
import { toDefinitions } from "../../src/core/toolset/definitions.ts";
import type { Toolset } from "../../src/core/toolset/toolset.ts";
import { anyTool, anyTools, anyWorld, plainName } from "../fixtures/arbitraries.ts";
import { createWorldBuilder } from "./build-world.ts";

const build = createWorldBuilder();

describe("no loss (D3)", () => {
  test("visible and deferred together are exactly what no gate hides, each tool once", () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const { catalog, placements, judged } = build(world);
        const permitted = catalog.entries.filter(
          (_, at) => judged[at]?.some(({ verdict }) => verdict === "hide") !== true,
        );
        const shown = placements.filter(({ entry, standing }) => standing !== "hidden" && entry !== catalog.search);
        expect(new Set(shown.map(({ entry }) => entry))).toEqual(new Set(permitted));
        expect(shown.length).toBe(permitted.length);
        const all = placements.filter(({ entry }) => entry !== catalog.search).map(({ entry }) => entry);
        expect(all.length).toBe(catalog.entries.length);
        expect(new Set(all)).toEqual(new Set(catalog.entries));
      }),
      { numRuns: 150 },
    );
  });

  test("no more is sent than the model takes, tool_search counted", () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const { placements } = build(world);
        const sent = placements.filter(({ standing }) => standing === "visible");
        expect(sent.length).toBeLessThanOrEqual(world.options.model?.maxTools ?? 128);
      }),
      { numRuns: 150 },
    );
  });

  test("tool_search is there exactly while something stands behind it, loaded or not, unless it is denied (D1)", () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const { catalog, placements, scene } = build(world);
        const deferred = placements.some(({ standing }) => standing === "deferred");
        const search = placements.find(({ entry }) => entry === catalog.search);
        const { deny, deniedTools, disallowed } = scene.lists;
        const denied = [deny, deniedTools, disallowed].some(({ mentions }) => mentions.has(catalog.search));
        expect(search?.standing === "visible").toBe(deferred && !denied);
      }),
      { numRuns: 150 },
    );
  });

  test("only built-ins and agent tools past the cap, and tools that say never, are deferred by the cap alone (D2)", () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        for (const { entry, standing, trace } of build(world).placements) {
          if (standing !== "deferred") continue;
          const code = trace.at(-1)?.reason.code;
          const fixed =
            entry.tool.source === "builtin" || entry.tool.source === "agent" || entry.tool.defer === "never";
          if (fixed) expect(code).toBe("budget.over-cap");
        }
      }),
    );
  });
});

describe("the built-in prefix (C1)", () => {
  const builtins = fc.uniqueArray(
    anyTool(plainName).map(({ server: _server, ...tool }) => ({ ...tool, source: "builtin" })),
    { maxLength: 12, selector: ({ name }) => name },
  );
  const strangers = anyTools.map((tools) => tools.filter(({ source }) => source === "mcp" || source === "external"));
  const scenes = fc.record(
    {
      excludeTools: fc.subarray(["view", "edit", "mcp:*", "github/*", "nope"]),
      includeTools: fc.constantFrom(null, ["*"], ["builtin:*"], ["view", "edit", "get", "mcp:*"]),
      mode: fc.constantFrom("default", "plan"),
      toolSearch: fc.constantFrom("auto", "on", "off"),
      model: fc.record({ maxTools: fc.integer({ min: 1, max: 16 }) }),
    },
    { requiredKeys: [] },
  );

  function builtinBytes({ catalog, placements }: Toolset): string {
    const own = placements.filter(({ entry }) => entry.tool.source === "builtin" && entry !== catalog.search);
    return toDefinitions({ placements: own })
      .map((definition) => JSON.stringify(definition))
      .join("\n");
  }

  const anyJoin = fc.record({ own: builtins, others: strangers, options: scenes }).map(({ own, others, options }) => {
    const names = new Set(own.map(({ name }) => name));
    const joined = others.filter(({ source, name }) => source === "mcp" || !names.has(name));
    const before = build({ tools: own, options: { ...options, allowNoTools: true } });
    const after = build({ tools: [...own, ...joined], options: { ...options, allowNoTools: true } });
    return { before, after, cap: options.model?.maxTools ?? 128 };
  });

  test("no MCP or external tool changes a byte of it while tool_search still fits beside it", () => {
    fc.assert(
      fc.property(anyJoin, ({ before, after, cap }) => {
        const permitted = before.placements.filter(({ standing }) => standing !== "hidden").length;
        fc.pre(permitted < cap);
        expect(builtinBytes(after)).toBe(builtinBytes(before));
      }),
      { numRuns: 150 },
    );
  });

  test("where the model cannot even take the built-ins and tool_search, it is cut at the end and nowhere else", () => {
    fc.assert(
      fc.property(anyJoin, ({ before, after }) => {
        expect(builtinBytes(before).startsWith(builtinBytes(after))).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test("nothing but built-ins stands before the last of them", () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const { catalog, placements } = build(world);
        const sources = placements
          .filter(({ entry }) => entry !== catalog.search)
          .map(({ entry }) => entry.tool.source);
        const first = sources.findIndex((source) => source !== "builtin");
        if (first !== -1) expect(sources.slice(first)).not.toContain("builtin");
      }),
    );
  });
});

describe("promotions (D5)", () => {
  const deferrable = fc.uniqueArray(
    anyTool(plainName).map((tool) => ({ ...tool, source: "mcp", server: "s", inputSchema: { type: "object" } })),
    { minLength: 1, maxLength: 8, selector: ({ name }) => name },
  );
  const signaturesOf = ({ entries }: Catalog) =>
    Object.fromEntries(entries.map(({ wireName, signature }) => [wireName, signature]));

  test("never release a tool whose signature changed since, whatever else changed", () => {
    const edits = fc.array(fc.constantFrom("keep", "change", "remove"), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(deferrable, edits, fc.boolean(), (tools, kinds, remembered) => {
        const { catalog } = build({ tools });
        const names = catalog.entries.map(({ wireName }) => wireName);
        const signatures = remembered ? signaturesOf(catalog) : {};
        const changed = tools.flatMap((tool, at) => {
          if (kinds[at] === "remove") return [];
          return [kinds[at] === "change" ? { ...tool, description: "does something else now" } : tool];
        });
        const options = { toolSearch: "on", promoted: { catalogHash: catalog.hash, names, signatures } };
        const after = build({ tools: changed, options: { ...options, features: { beta: true } } });
        const same = after.catalog.hash === catalog.hash;
        const earlier = signaturesOf(catalog);
        for (const { entry, standing } of after.placements) {
          if (entry === after.catalog.search || entry.tool.defer === "never" || standing === "hidden") continue;
          const lives = same || (remembered && earlier[entry.wireName] === entry.signature);
          expect(standing).toBe(lives ? "visible" : "deferred");
        }
      }),
      { numRuns: 120 },
    );
  });

  test("put promoted tools last, in the order of promotion, each once (C1)", () => {
    const order = deferrable.chain((tools) => fc.tuple(fc.constant(tools), fc.shuffledSubarray(tools)));
    fc.assert(
      fc.property(order, ([tools, wanted]) => {
        const plain = tools.map(({ name }) => ({ name, source: "mcp", server: "s", inputSchema: { type: "object" } }));
        const { catalog } = build({ tools: plain });
        const names = wanted.map(({ name }) => `s__${name}`);
        const promoted = { catalogHash: catalog.hash, names: [...names, ...names] };
        const { placements } = build({ tools: plain, options: { toolSearch: "on", promoted } });
        const visible = placements.filter(({ standing }) => standing === "visible").map(({ entry }) => entry.wireName);
        // Also when nothing is left to load: it stands in front of what a model was sent already.
        expect(visible).toEqual(["tool_search", ...names]);
      }),
    );
  });
});
