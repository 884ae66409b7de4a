import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildCatalog } from "../../src/core/catalog/catalog.ts";
import { DIALECTS } from "../../src/core/dialects/dialects.ts";
import { type DialectName, LIMITS } from "../../src/core/dialects/limits/limits.ts";
import type { NameEntry, Names } from "../../src/core/dialects/tools/names.ts";
import { GATES } from "../../src/core/gates/gates.ts";
import type { Scene } from "../../src/core/scene/scene.ts";
import type { Tool } from "../../src/core/tool/tool.ts";
import { buildToolset } from "../../src/core/toolset/build-toolset.ts";
import { promote } from "../../src/core/toolset/promotions.ts";
import type { Toolset } from "../../src/core/toolset/toolset.ts";
import { aMcpTool, aModel, aScene, aTool } from "../fixtures/builders.ts";
import { PROVIDER_RULES } from "./provider-rules.ts";
import { loadRealTools } from "./real-catalogs.ts";

const NAMES = Object.keys(DIALECTS) as DialectName[]; // The keys of the table.
const SEARCH_ON: Partial<Scene> = { toolSearch: { value: { use: "on" }, origin: { kind: "default" } } };
const schema = { type: "object", properties: { p: { type: "string" } }, required: ["p"] };
const builtins = ["view", "edit", "grep"].map((name) =>
  aTool({ name, description: `Does ${name}`, inputSchema: schema }),
);
const github = ["create_issue", "list_issues", "9lives"].map((name) =>
  aMcpTool(`github/${name}`, { inputSchema: schema }),
);
const other = aTool({ name: "9to5", source: "external", inputSchema: schema });

function toolsetOf(tools: readonly Tool[], facts: Partial<Scene> = {}): Toolset {
  return buildToolset(buildCatalog(tools), aScene(facts));
}

/** All real tools, whatever a scanner thinks of their words: here it is about their shape. Built once. */
const realToolset = (() => {
  let built: Toolset | null = null;
  return (): Toolset => {
    if (built !== null) return built;
    const gates = GATES.filter(({ name }) => name !== "trust");
    const catalog = buildCatalog(loadRealTools());
    const entries = catalog.entries.map((entry) => ({ ...entry, scanned: false }));
    built = buildToolset({ ...catalog, entries }, aScene(SEARCH_ON), gates);
    return built;
  };
})();

/** Each tool of a payload as it is sent, whatever the dialect's container is. */
function sentBy(dialect: DialectName, toolset: Toolset, options = {}): readonly { name: string; text: string }[] {
  return toSent(DIALECTS[dialect].payload(toolset, options));
}

function toSent({ tools }: ReturnType<(typeof DIALECTS)[DialectName]["payload"]>) {
  const list: readonly unknown[] = Array.isArray(tools)
    ? tools.flatMap((tool): readonly unknown[] => ("functionDeclarations" in tool ? tool.functionDeclarations : [tool]))
    : Object.entries(tools).map(([name, tool]) => ({ name, ...tool }));
  return list.map((tool) => {
    const { name, function: inner, type } = tool as { name?: string; function?: { name: string }; type?: string }; // As declared.
    return { name: name ?? inner?.name ?? type ?? "", text: JSON.stringify(tool) };
  });
}

describe.each(NAMES)("%s", (dialect) => {
  const { limits } = DIALECTS[dialect];

  test("sends built-ins first and counts them, in payload order (C1)", () => {
    const toolset = toolsetOf([other, ...github, ...builtins]);
    const { boundary, deferral, names } = DIALECTS[dialect].payload(toolset);
    const sent = sentBy(dialect, toolset).map(({ name }) => names.fromProvider(name));
    expect({ boundary, deferral }).toEqual({ boundary: 3, deferral: "none" });
    expect(sent).toEqual([
      "edit",
      "grep",
      "view",
      "github__9lives",
      "github__create_issue",
      "github__list_issues",
      "9to5",
    ]);
  });

  test("sends no hidden tool, and no schema of a deferred one into the context (D7)", () => {
    const toolset = toolsetOf([...builtins, ...github, other], SEARCH_ON);
    const { deferral, system, loadable } = DIALECTS[dialect].payload(toolset);
    expect(deferral).toBe(limits.deferral.native === null ? "names" : "native");
    expect(system.at(-1)?.id).toBe("deferred-tools");
    expect([...loadable.keys()]).toEqual(["github__9lives", "github__create_issue", "github__list_issues", "9to5"]);
    const inContext = sentBy(dialect, toolset).filter(({ text }) => !text.includes('"defer_loading":true'));
    const active =
      dialect === "ai-sdk" ? DIALECTS["ai-sdk"].payload(toolset).activeTools : inContext.map(({ name }) => name);
    expect(active).toEqual(["edit", "grep", "view", "tool_search"]);
  });

  test("a model without native search, or a proxy in between, gets names only", () => {
    const tools = [...builtins, ...github];
    const capable = aModel({ capabilities: new Map([["toolSearch", "native"]]) });
    const old = aModel({ capabilities: new Map([["toolSearch", true]]) });
    const forms = [
      DIALECTS[dialect].payload(toolsetOf(tools, { ...SEARCH_ON, model: old })).deferral,
      DIALECTS[dialect].payload(toolsetOf(tools, { ...SEARCH_ON, model: capable }), { deferral: "names" }).deferral,
    ];
    expect(forms).toEqual(["names", "names"]);
    expect(
      sentBy(dialect, toolsetOf(tools, SEARCH_ON), { deferral: "names" }).some(({ text }) => text.includes("defer")),
    ).toBe(false);
  });

  test("one result for each call that the model confirmed, in order, with what hooks add", () => {
    const payload = DIALECTS[dialect].payload(toolsetOf(builtins));
    const answered = ["a", "b", "c"].map((id) => ({
      call: { id: JSON.stringify(id), toolName: "view" },
      result: {
        textResultForLlm: `text of ${id}`,
        resultType: id === "b" ? "failure" : "success",
        error: "secret",
      } as const,
      sendToModel: id !== "c",
      additionalContext: id === "a" ? ["mind the gap"] : [],
    }));
    const text = JSON.stringify(DIALECTS[dialect].results(answered, payload));
    expect(text.indexOf("text of a")).toBeLessThan(text.indexOf("text of b"));
    expect(text).toContain("mind the gap");
    expect(text).not.toContain("text of c");
    expect(text).not.toContain("secret");
    expect(DIALECTS[dialect].results([], payload)).toEqual([]);
    const silent = {
      call: { id: '"d"', toolName: "view" },
      result: { textResultForLlm: "", resultType: "failure" },
    } as const;
    expect(JSON.stringify(DIALECTS[dialect].results([silent], payload))).toContain("said nothing");
  });

  test("names are legal, distinct and reversible, whatever tools there are", () => {
    const anyName = fc.oneof(
      fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
      fc.constantFrom("9", "-x", "_", "a".repeat(64)),
    );
    fc.assert(
      fc.property(fc.uniqueArray(anyName, { maxLength: 12 }), fc.boolean(), (given, on) => {
        const tools = given.map((name, at) =>
          at % 2 ? aMcpTool(`s${at % 3}/${name}`) : aTool({ name, source: "external" }),
        );
        const toolset = toolsetOf(tools, on ? SEARCH_ON : {});
        const { names } = DIALECTS[dialect].payload(toolset);
        const wire = toolset.placements
          .filter(({ standing }) => standing !== "hidden")
          .map(({ entry }) => entry.wireName);
        const keys = [...DIALECTS[dialect].payload(toolset).loadable.values()];
        expectOwnNames(dialect, keys, names);
        const sent = sentBy(dialect, toolset).map(({ name }) => name);
        expect(new Set(sent).size).toBe(sent.length);
        expect(sent.filter((name) => !PROVIDER_RULES[dialect].name.test(name))).toEqual([]);
        const inNamespace = new Set(keys.filter(({ namespace }) => namespace !== null).map(({ wireName }) => wireName));
        const alone = wire.filter((one) => !inNamespace.has(one));
        expect(alone.map((name) => names.fromProvider(names.toProvider(name)))).toEqual(alone);
      }),
      { numRuns: 60 },
    );
  });

  test.skipIf(loadRealTools().length === 0)(
    "all 3,065 real tools at once: none is lost, all names and schemas as the provider wants them",
    () => {
      const { loadable, names } = DIALECTS[dialect].payload(realToolset());
      expect(loadable.size).toBe(3_065);
      expectOwnNames(dialect, [...loadable.values()], names);
      const problems = [...loadable.values()].flatMap((one) =>
        PROVIDER_RULES[dialect].schema.flatMap((check) => check(one.schema)),
      );
      expect(problems).toEqual([]);
      const max = LIMITS[dialect].maxDescription ?? Number.POSITIVE_INFINITY;
      expect([...loadable.values()].filter(({ description }) => description.length > max)).toEqual([]);
    },
    120_000,
  );
});

/** What a provider calls each tool fits its rules and means that tool alone. */
function expectOwnNames(dialect: DialectName, tools: readonly NameEntry[], names: Names): void {
  expect(tools.filter(({ name }) => !PROVIDER_RULES[dialect].name.test(name))).toEqual([]);
  expect(tools.filter(({ name, namespace, wireName }) => names.fromProvider(name, namespace) !== wireName)).toEqual([]);
}

test("cache law, every dialect: the serialised built-ins never change, and inside a turn promoted tools only append", () => {
  const pool = [...github, other, ...["a", "b", "c"].map((name) => aMcpTool(`z/${name}`, { inputSchema: schema }))];
  const turn = fc.record({
    tools: fc.subarray(pool),
    picks: fc.array(fc.nat(20), { maxLength: 3 }),
    all: fc.boolean(),
    on: fc.boolean(),
  });
  const laws = NAMES.map(cacheLaw);
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), (history) => {
      let [catalog, promoted] = [buildCatalog(builtins), aScene().promoted];
      for (const { tools, picks, all, on } of history) {
        catalog = buildCatalog([...tools, ...builtins], { previous: catalog });
        promoted = promote(promoted, catalog, []);
        for (const law of laws) law.beginTurn();
        // Some turns go on until nothing is left to load.
        for (const pick of [-1, ...picks, ...(all ? catalog.entries.keys() : [])]) {
          const entry = catalog.entries[pick];
          if (entry !== undefined && entry.tool.source !== "builtin") promoted = promote(promoted, catalog, [entry]);
          const toolset = buildToolset(catalog, aScene({ ...(on ? SEARCH_ON : {}), promoted }));
          for (const law of laws) law.check(toolset);
        }
      }
    }),
    { numRuns: 250 },
  );
  for (const law of laws) expect(law.ended).toBeGreaterThan(100);
}, 180_000);

/** Compares what one dialect sends with what it sent before in the same turn, and with the built-ins alone. */
function cacheLaw(dialect: DialectName) {
  const base = sentBy(dialect, toolsetOf(builtins)).map(({ text }) => text);
  let before: readonly string[] | null = null;
  const law = {
    /** Requests with nothing left to load. */
    ended: 0,
    beginTurn(): void {
      before = null;
    },
    check(toolset: Toolset): void {
      const payload = DIALECTS[dialect].payload(toolset);
      const { deferral, system } = payload;
      const sent = toSent(payload).map(({ text }) => text);
      expectFront(sent, base);
      const active = "activeTools" in payload ? payload.activeTools : sent;
      // What a provider loads natively costs nothing in front of the history, the prompt included.
      const shown = deferral === "native" ? [...active, JSON.stringify(system)] : active;
      expectFront(shown, before ?? []);
      before = shown;
      if (deferral !== "none" && !toolset.placements.some(({ standing }) => standing === "deferred")) law.ended += 1;
    },
  };
  return law;
}

/** Asks vitest only where there is a difference to show: it takes longer than everything else here. */
function expectFront(list: readonly string[], front: readonly string[]): void {
  if (front.some((text, at) => list[at] !== text)) expect(list.slice(0, front.length)).toEqual(front);
}

describe("where providers differ", () => {
  const deferredSet = toolsetOf([...builtins, ...github, other], SEARCH_ON);
  const found = {
    call: { id: "s1", toolName: "tool_search" },
    result: { textResultForLlm: "2 tools", resultType: "success" },
    loaded: ["github__list_issues", "9to5", "gone"],
  } as const;

  test("anthropic: a cache mark on the last built-in, definitions with defer_loading, references as the search's result (C2, D7)", () => {
    const payload = DIALECTS.anthropic.payload(deferredSet);
    expect(payload.tools.filter(({ cache_control }) => cache_control).map(({ name }) => name)).toEqual(["view"]);
    expect(payload.tools.filter(({ defer_loading }) => defer_loading).map(({ name }) => name)).toEqual([
      "github__9lives",
      "github__create_issue",
      "github__list_issues",
      "9to5",
    ]);
    expect(DIALECTS.anthropic.results([found], payload)).toEqual([
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "s1",
            content: [
              { type: "tool_reference", tool_name: "github__list_issues" },
              { type: "tool_reference", tool_name: "9to5" },
            ],
          },
        ],
      },
    ]);
  });

  test("anthropic: a failure is text that says something, and its pictures follow all results", () => {
    const picture = { data: "aGk=", mimeType: "image/png", type: "image" };
    const answered = (id: string, textResultForLlm: string, resultType: "failure" | "success") => ({
      call: { id, toolName: "shoot" },
      result: { textResultForLlm, resultType, binaryResultsForLlm: [picture] },
    });
    const payload = DIALECTS.anthropic.payload(deferredSet);
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } };
    expect(DIALECTS.anthropic.results([answered("a", " ", "failure"), answered("b", " ", "success")], payload)).toEqual(
      [
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "a",
              content: "The tool failed and said nothing about it.",
              is_error: true,
            },
            { type: "tool_result", tool_use_id: "b", content: [image] },
            { type: "text", text: "Returned by shoot (a):" },
            image,
          ],
        },
      ],
    );
  });

  test("anthropic: a promotion changes not a byte, and after compaction the tool is sent inline", () => {
    const { catalog } = deferredSet;
    const entries = catalog.entries.filter(({ wireName }) => wireName === "github__list_issues");
    const promoted = buildToolset(
      catalog,
      aScene({ ...SEARCH_ON, promoted: promote(aScene().promoted, catalog, entries) }),
    );
    const [before, after] = [deferredSet, promoted].map((toolset) =>
      JSON.stringify(DIALECTS.anthropic.payload(toolset).tools),
    );
    expect(after).toBe(before);
    const inline = DIALECTS.anthropic.payload(promoted, { promoted: "inline" }).tools;
    expect(inline.find(({ name }) => name === "github__list_issues")).not.toHaveProperty("defer_loading");
  });

  test("openai-responses: the client's search, answered with definitions in namespaces that calls come back from", async () => {
    const payload = DIALECTS["openai-responses"].payload(deferredSet);
    expect(payload.tools.at(-1)).toMatchObject({ type: "tool_search", execution: "client" });
    expect(payload.tools).toHaveLength(4);
    const [item] = DIALECTS["openai-responses"].results([found], payload);
    expect(item).toMatchObject({
      type: "tool_search_output",
      execution: "client",
      tools: [
        {
          type: "namespace",
          name: "github",
          tools: [{ type: "function", name: "list_issues", defer_loading: true, strict: false }],
        },
        { type: "function", name: "9to5" },
      ],
    });
    expect(payload.names.fromProvider("list_issues", "github")).toBe("github__list_issues");
  });

  test("strict only where the schema can be guaranteed, within the provider's sums", () => {
    const open = aTool({ name: "zz", inputSchema: { type: "object", properties: { bag: { type: "object" } } } });
    const optional = Array.from({ length: 30 }, (_, at) =>
      aTool({ name: `o${at}`, inputSchema: { type: "object", properties: { a: { type: "string" } } } }),
    );
    const chat = DIALECTS["openai-chat"].payload(toolsetOf([...builtins, open]), { strict: true });
    expect(chat.tools.map((tool) => tool.function.strict === true)).toEqual([true, true, true, false]);
    const claude = DIALECTS.anthropic.payload(toolsetOf([...optional]), { strict: true });
    expect(claude.tools.filter(({ strict }) => strict)).toHaveLength(20);
  });

  test("openai-chat: a description over its limit goes on in the schema", () => {
    const long = aTool({ name: "long", description: "x".repeat(2_000), inputSchema: schema });
    const [tool] = DIALECTS["openai-chat"].payload(toolsetOf([long])).tools;
    expect(tool?.function.description).toHaveLength(1_024);
    expect(String(tool?.function.parameters.description)).toHaveLength(2_000 - 1_023 + 1);
  });

  test("gemini: a name that may not start so gets another, and results use it", () => {
    const payload = DIALECTS.gemini.payload(toolsetOf([other]));
    const name = payload.names.toProvider("9to5");
    expect(name).toMatch(/^_9to5_[0-9a-f]{8}$/);
    const result = { textResultForLlm: "ok", resultType: "success" } as const;
    const [message] = DIALECTS.gemini.results([{ call: { id: "1", toolName: "9to5" }, result }], payload);
    expect(message?.parts[0]?.functionResponse.name).toBe(name);
  });
});
