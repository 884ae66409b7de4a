import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/core/catalog/entry.ts";
import { hide, pass } from "../../src/core/gates/gate.ts";
import { GATE_NAMES, GATES, type Gate } from "../../src/core/gates/gates.ts";
import { explain } from "../../src/core/toolset/explain.ts";
import type { Toolset } from "../../src/core/toolset/toolset.ts";
import { anyWorld } from "../fixtures/arbitraries.ts";
import { createWorldBuilder } from "./build-world.ts";

const build = createWorldBuilder();

/** Entries may differ between two builds, so tools are compared by their place in the catalog. */
function permittedPlaces({ catalog, placements }: Toolset): ReadonlySet<number> {
  const permitted = new Set(placements.filter(({ standing }) => standing !== "hidden").map(({ entry }) => entry));
  return new Set(catalog.entries.flatMap((entry, place) => (permitted.has(entry) ? [place] : [])));
}

function standings({ placements }: Toolset): readonly string[] {
  return placements.map(({ entry, standing }) => `${entry.wireName} ${entry.tool.source} ${standing}`);
}

describe("one more gate never reveals a tool", () => {
  test("any gate added to any selection of the others", () => {
    fc.assert(
      fc.property(anyWorld, fc.subarray([...GATES]), fc.constantFrom(...GATES), (world, some, extra) => {
        const before = permittedPlaces(build(world, some));
        const after = permittedPlaces(build(world, [...some, extra]));
        expect([...after].filter((place) => !before.has(place))).toEqual([]);
      }),
    );
  });

  test("a gate that nobody has written yet, in any place", () => {
    fc.assert(
      fc.property(anyWorld, fc.nat({ max: GATES.length }), fc.integer({ min: 2, max: 5 }), (world, at, modulus) => {
        const late: Gate = {
          name: "feature",
          judge: ({ wireName }) =>
            wireName.length % modulus === 0
              ? hide({ code: "feature.off", text: "late", origin: { kind: "default" }, fix: "wait" })
              : pass,
        };
        const before = permittedPlaces(build(world));
        const after = permittedPlaces(build(world, GATES.toSpliced(at, 0, late)));
        expect([...after].filter((place) => !before.has(place))).toEqual([]);
      }),
    );
  });
});

test("the order of gates never changes a standing, nor the set of reasons", () => {
  const anyOrder = fc.shuffledSubarray([...GATES], { minLength: GATES.length });
  fc.assert(
    fc.property(anyWorld, anyOrder, (world, order) => {
      const usual = build(world);
      const other = build(world, order);
      expect(standings(other)).toEqual(standings(usual));
      const reasons = ({ placements }: Toolset) =>
        placements.map(({ trace }) => trace.map(({ gate, reason }) => `${gate} ${reason.code} ${reason.text}`).sort());
      expect(reasons(other)).toEqual(reasons(usual));
    }),
  );
});

test("explain lists every gate that was asked exactly once: with its reasons, or as passed", () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      const toolset = build(world);
      for (const { entry } of toolset.placements) {
        const answer = explain(toolset, entry.id);
        if (answer.kind !== "found") continue;
        for (const { reasons, passed, standing, fixes } of answer.explanations) {
          const stopped = [...new Set(reasons.map(({ gate }) => gate))];
          const asked = GATE_NAMES.filter((gate) => gate !== "budget" || standing !== "hidden");
          expect([...stopped, ...passed].sort()).toEqual(asked.sort());
          expect(reasons.length === 0).toBe(standing === "visible");
          expect(fixes.length === 0).toBe(standing === "visible");
        }
      }
    }),
  );
});

test("a trace is in gate order, and its strictest line is the standing", () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      for (const { trace, standing } of build(world).placements) {
        const places = trace.map(({ gate }) => GATE_NAMES.indexOf(gate));
        expect(places).toEqual(places.toSorted((left, right) => left - right));
        const verdicts = new Set(trace.map(({ verdict }) => verdict));
        expect(standing).toBe(verdicts.has("hide") ? "hidden" : verdicts.has("defer") ? "deferred" : "visible");
      }
    }),
  );
});

test("a gate is pure: the same entry in the same scene gets the same verdict twice", () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      const { catalog, scene } = build(world);
      const fickle = GATES.flatMap((gate) => {
        const judge = (entry: Entry) => gate.judge(entry, scene);
        return catalog.entries.flatMap((entry) =>
          isDeepStrictEqual(judge(entry), judge(entry)) ? [] : [`${gate.name} on ${entry.id}`],
        );
      });
      expect(fickle).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

describe("narrowing options only narrow", () => {
  const narrowed = (world: { options: object }, more: object) => ({ ...world, options: { ...world.options, ...more } });
  const expectNarrower = (world: { options: object }, more: object): void => {
    const before = permittedPlaces(build(world));
    const after = permittedPlaces(build(narrowed(world, more)));
    expect([...after].filter((place) => !before.has(place))).toEqual([]);
  };

  test("one more name to exclude (F1)", () => {
    fc.assert(
      fc.property(anyWorld, fc.constantFrom("view", "*", "github", "kit", "mcp:*"), (world, name) => {
        expectNarrower(world, { excludeTools: [...(world.options.excludeTools ?? []), name] });
      }),
    );
  });

  test("another name to exclude beside one that is there (F1)", () => {
    fc.assert(
      fc.property(anyWorld, fc.constantFrom("view", "*", "nope"), (world, name) => {
        for (const { name: first } of world.tools)
          expectNarrower(narrowed(world, { excludeTools: [first] }), { excludeTools: [first, name] });
      }),
      { numRuns: 25 },
    );
  });

  test("one more deny rule (G12)", () => {
    fc.assert(
      fc.property(anyWorld, fc.constantFrom("view", "*", "mcp__github", "kit"), (world, name) => {
        expectNarrower(world, { permissions: { deny: [...(world.options.permissions?.deny ?? []), name] } });
      }),
    );
  });

  test("policy over whatever was there (G7)", () => {
    fc.assert(
      fc.property(anyWorld, fc.constantFrom("view", "mcp:*", "edit"), (world, name) => {
        const { policy } = world.options;
        expectNarrower(world, { policy: { ...policy, deniedTools: [...(policy?.deniedTools ?? []), name] } });
        expectNarrower(world, { policy: { ...policy, allowedMcpServers: ["github"] } });
      }),
    );
  });

  test("a first active skill (G11)", () => {
    fc.assert(
      fc.property(anyWorld, fc.subarray(["view", "edit", "get"]), (world, allowedTools) => {
        const bare = narrowed(world, { skills: [{ name: "s1", active: false }] });
        expectNarrower(bare, { skills: [{ name: "s1", allowedTools }] });
      }),
    );
  });

  test("planning in place of the default mode hides all but read-only tools and the way out (G3)", () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const { placements } = build(narrowed(world, { mode: "plan" }));
        const left = placements.filter(({ standing }) => standing !== "hidden").map(({ entry }) => entry);
        const wrong = left.filter(({ tool }: Entry) => !tool.traits.readOnly && tool.name !== "exit_plan_mode");
        expect(wrong.map(({ id }) => id)).toEqual([]);
      }),
    );
  });
});
