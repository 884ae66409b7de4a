import fc from "fast-check";
import { expect, test } from "vitest";
import { buildCatalog, type Catalog } from "../../src/core/catalog/catalog.ts";
import type { Entry } from "../../src/core/catalog/entry.ts";
import type { Gate } from "../../src/core/gates/gates.ts";
import { GATES } from "../../src/core/gates/gates.ts";
import { allLists, type ResolvedScene } from "../../src/core/scene/resolved-scene.ts";
import type { Tool } from "../../src/core/tool/tool.ts";
import { buildToolset, rebuildToolset } from "../../src/core/toolset/build-toolset.ts";
import type { Toolset } from "../../src/core/toolset/toolset.ts";
import { anyTools, anyWorld, read } from "../fixtures/arbitraries.ts";
import { onlyIssued } from "../fixtures/builders.ts";

type Step = { readonly add: readonly Tool[]; readonly remove: number; readonly change: number; readonly turn: boolean };

const anyStep = fc.record({
  add: fc.array(anyTools, { maxLength: 1 }).map(([tools]) => read({ tools: tools?.slice(0, 3) ?? [] }).tools),
  remove: fc.nat({ max: 30 }),
  change: fc.nat({ max: 30 }),
  turn: fc.boolean(),
});

function apply(tools: readonly Tool[], { add, remove, change, turn }: Step): readonly Tool[] {
  const next = [
    ...tools
      .filter((_, at) => at !== remove)
      .map((tool, at) => (at === change ? { ...tool, description: `${tool.description}!` } : tool)),
    ...add,
  ];
  return turn ? next.reverse() : next;
}

function shownOf({ placements, notices, sets, catalog }: Toolset) {
  return {
    hash: catalog.hash,
    placements: placements.map(({ entry, standing, trace }) => ({ ...toFacts(entry), standing, trace })),
    notices,
    sets,
  };
}

/** With what is worked out on demand. */
function toFacts(entry: Entry) {
  const { identity, id, signature, tokens } = entry;
  return { ...entry, identity, id, signature, tokens };
}

/** Gates that write down whom they judge. */
function watched(): { gates: readonly Gate[]; judged: Set<Entry>; calls: () => number } {
  const judged = new Set<Entry>();
  let calls = 0;
  const gates = GATES.map((gate) => ({
    name: gate.name,
    judge: (entry: Entry, scene: ResolvedScene) => {
      calls += 1;
      judged.add(entry);
      return gate.judge(entry, scene);
    },
  }));
  return { gates, judged, calls: () => calls };
}

test("an incremental rebuild equals a full one that knows the names issued so far, after any changes", () => {
  fc.assert(
    fc.property(anyWorld, fc.array(anyStep, { minLength: 1, maxLength: 5 }), (world, steps) => {
      const start = read(world);
      let tools = start.tools;
      let toolset = buildToolset(buildCatalog(tools), start.scene);
      for (const step of steps) {
        tools = apply(tools, step);
        const known: Catalog = toolset.catalog;
        const full = buildToolset(buildCatalog(tools, { previous: onlyIssued(known) }), start.scene);
        toolset = rebuildToolset(toolset, buildCatalog(tools, { previous: known }));
        expect(shownOf(toolset)).toEqual(shownOf(full));
      }
    }),
    { numRuns: 100 },
  );
});

test("a rebuild judges only what the change can touch: new definitions, new namesakes, new mentions", () => {
  fc.assert(
    fc.property(anyWorld, anyStep, (world, step) => {
      const start = read(world);
      const first = buildToolset(buildCatalog(start.tools), start.scene);
      const watch = watched();
      const tools = apply(start.tools, { ...step, turn: false });
      const second = rebuildToolset(first, buildCatalog(tools, { previous: first.catalog }), watch.gates);
      const before = new Set(first.catalog.entries);
      for (const entry of watch.judged)
        expect(!before.has(entry) || mentionsOf(first.scene, entry) !== mentionsOf(second.scene, entry)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test("after one unrelated tool joins thousands, each gate is asked once", () => {
  const tools = read({
    tools: Array.from({ length: 3_000 }, (_, at) => ({ name: `t${at}`, source: "mcp", server: `s${at % 50}` })),
    options: {},
  }).tools;
  const { scene } = read({ options: { excludeTools: ["s1/*", "mcp:t5*"], servers: { s2: { tools: ["t2"] } } } });
  const first = buildToolset(buildCatalog(tools), scene);
  const watch = watched();
  const [late] = read({ tools: [{ name: "late" }] }).tools;
  const second = rebuildToolset(
    first,
    buildCatalog([...tools, ...(late ? [late] : [])], { previous: first.catalog }),
    watch.gates,
  );
  expect([...watch.judged].map(({ id }) => id)).toEqual(["late"]);
  expect(watch.calls()).toBe(GATES.length);
  expect(second.placements.length).toBe(first.placements.length + 1);
});

/** How all lists of a scene mention one entry, as text. */
function mentionsOf({ lists }: ResolvedScene, entry: Entry): string {
  return JSON.stringify(
    allLists(lists).map(({ list, mentions }) => {
      const mention = mentions.get(entry);
      return mention === undefined ? null : [list.origin, mention.explicit, mention.by];
    }),
  );
}
