import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildCatalog } from "../../src/core/catalog/catalog.ts";
import { createResolver, type Resolver } from "../../src/core/catalog/resolver.ts";
import { anyCharacter } from "../fixtures/any-character.ts";
import { anyTools, anyWorld, read } from "../fixtures/arbitraries.ts";
import { aWorld } from "../fixtures/builders.ts";

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.stringMatching(/^[a-z_/:*-]{0,12}$/),
  fc
    .array(
      fc.constantFrom("mcp__", "__", "/", "*", ":", "github", "-", "builtin:", "mcp:", "skill:", "kit", "get", ""),
      { maxLength: 8 },
    )
    .map((parts) => parts.join("")),
  fc.constantFrom("__proto__", "constructor", "toString", "*".repeat(500), "/".repeat(500), "\ud800", "mcp__", "*/*"),
);

function resolverOf(world: unknown): Resolver {
  const { tools, scene } = read(world);
  return createResolver({ catalog: buildCatalog(tools), sets: scene.sets, servers: scene.servers.keys() });
}

/** What a resolution says, without object identity. */
function told(resolver: Resolver, name: string): unknown {
  const resolution = resolver.resolve(name);
  if (resolution.kind !== "found") return resolution;
  const plain = ({ what, explicit, entries }: typeof resolution.meaning) => ({
    what,
    explicit,
    ids: entries.map(({ id, tool }) => `${id} ${tool.source}`),
  });
  return { kind: "found", meaning: plain(resolution.meaning), others: resolution.others.map(plain) };
}

describe("the resolver", () => {
  test("never throws, whatever the string", () => {
    fc.assert(
      fc.property(anyWorld, fc.array(anyText, { maxLength: 10 }), (world, names) => {
        const resolver = resolverOf(world);
        for (const name of names) expect(["found", "pending", "unknown"]).toContain(resolver.resolve(name).kind);
      }),
      { numRuns: 150 },
    );
  });

  test("answers the same whenever it is built from the same world", () => {
    fc.assert(
      fc.property(anyWorld, anyText, (world, name) => {
        expect(told(resolverOf(world), name)).toEqual(told(resolverOf(world), name));
      }),
      { numRuns: 120 },
    );
  });

  test("answers the same whatever was asked before", () => {
    fc.assert(
      fc.property(anyWorld, fc.array(anyText, { maxLength: 8 }), anyText, (world, earlier, name) => {
        const asked = resolverOf(world);
        for (const other of earlier) asked.resolve(other);
        expect(told(asked, name)).toEqual(told(resolverOf(world), name));
      }),
      { numRuns: 120 },
    );
  });

  test("finds every tool under its id, its wire name and its identity (I1)", () => {
    fc.assert(
      fc.property(anyTools, (tools) => {
        const catalog = buildCatalog(read({ tools }).tools);
        const resolver = createResolver({ catalog });
        for (const entry of catalog.entries) {
          for (const name of [entry.id, entry.identity]) {
            const found = resolver.resolve(name);
            expect(found.kind === "found" && found.meaning.entries.includes(entry)).toBe(true);
            expect(found.kind === "found" && found.meaning.explicit).toBe(!name.includes("*"));
          }
          const named = resolver.resolve(entry.wireName);
          const meanings = named.kind === "found" ? [named.meaning, ...named.others] : [];
          expect(meanings.some(({ entries }) => entries.includes(entry))).toBe(true);
        }
      }),
    );
  });
});

describe("include and exclude", () => {
  const TOOLS = ["a", "b", "c", "d", "e"] as const;
  const SETS = [
    { name: "S", members: ["a", "b"] },
    { name: "T", members: ["b", "c", "d"] },
    { name: "E", members: [] },
  ];
  const item = fc.constantFrom(...TOOLS, "S", "T", "E", "S/*", "*", "builtin:*", "S/a", "builtin:b", "nope");
  const someList = fc.array(item, { maxLength: 4 });

  /** What each entry of a list hits, and whether it names the tool itself, straight from the table of I2 and I4. */
  function hits(entry: string): { tools: readonly string[]; explicit: boolean } {
    const whole = entry.endsWith("/*") ? entry.slice(0, -2) : entry;
    const set = SETS.find(({ name }) => name === whole);
    if (set !== undefined) return { tools: set.members, explicit: false };
    if (entry === "*" || entry === "builtin:*") return { tools: TOOLS, explicit: false };
    const name = entry.replace(/^(?:S\/|builtin:)/, "");
    return { tools: TOOLS.filter((tool) => tool === name), explicit: true };
  }

  /** F1 to F3 as the tables say them, one tool at a time. */
  function isLeft(tool: string, include: readonly string[] | null, exclude: readonly string[], idle: boolean): boolean {
    const found = (list: readonly string[]) => list.map(hits).filter(({ tools }) => tools.includes(tool));
    const included = include === null ? null : found(include);
    if (included !== null && included.length === 0) return false;
    if (idle && include !== null) return true;
    const excluded = found(exclude);
    if (excluded.some(({ explicit }) => explicit)) return false;
    if (included?.some(({ explicit }) => explicit)) return true;
    return excluded.length === 0;
  }

  test("do what the tables say (F1 to F3), also with the old precedence", () => {
    fc.assert(
      fc.property(fc.option(someList), someList, fc.boolean(), (include, exclude, idle) => {
        const world = aWorld({
          tools: TOOLS.map((name) => ({ name })),
          toolsets: SETS,
          options: {
            includeTools: include,
            excludeTools: exclude,
            filterPrecedence: idle ? "include" : "exclude",
            allowNoTools: true,
          },
        });
        expect(world.visible).toEqual(TOOLS.filter((tool) => isLeft(tool, include, exclude, idle)));
      }),
      { numRuns: 250 },
    );
  });

  test("do not depend on the order of names, nor on saying a name twice (I5)", () => {
    const shuffled = someList.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray([...list, ...list], { minLength: list.length * 2 })),
    );
    fc.assert(
      fc.property(shuffled, shuffled, ([include, otherInclude], [exclude, otherExclude]) => {
        const visible = (includeTools: readonly string[], excludeTools: readonly string[]) =>
          aWorld({
            tools: TOOLS.map((name) => ({ name })),
            toolsets: SETS,
            options: { includeTools, excludeTools, allowNoTools: true },
          }).visible;
        expect(visible(otherInclude, otherExclude)).toEqual(visible(include, exclude));
      }),
    );
  });

  test("an include list stays closed: what appears later enters only if the list mentions it (F6)", () => {
    const listed = fc.array(fc.constantFrom("view", "kit", "github/*", "github/get", "builtin:v*", "mcp__web"), {
      minLength: 1,
    });
    const late = fc.uniqueArray(fc.stringMatching(/^late[a-z_]{0,5}$/), { minLength: 1 }).chain((names) =>
      fc.record({
        names: fc.constant(names),
        source: fc.constantFrom("builtin", "module", "skill", "mcp", "external", "agent"),
      }),
    );
    fc.assert(
      fc.property(listed, late, (includeTools, { names, source }) => {
        const now = [
          { name: "view" },
          { name: "edit" },
          { name: "get", source: "mcp", server: "github" },
          { name: "get", source: "mcp", server: "web" },
        ];
        const later = names.map((name) => ({ name, source, server: "late", inputSchema: { type: "object" } }));
        const toolsets = [{ name: "kit", members: ["view", "edit"] }];
        const before = aWorld({ tools: now, toolsets, options: { includeTools } });
        const after = aWorld({ tools: [...now, ...later], toolsets, options: { includeTools } });
        expect(after.visible).toEqual(before.visible);
        for (const { entry, trace } of after.placements)
          if (names.includes(entry.tool.name))
            expect(trace.map(({ reason }) => reason.code)).toContain("filter.not-included");
      }),
    );
  });
});
