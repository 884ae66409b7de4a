import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../../../test/fixtures/any-character.ts";
import { allSteps } from "../../core/shape/all-steps.ts";
import { cleanText, createStderrTail } from "../../system/process/stderr-tail.ts";
import { BACKGROUND } from "../../system/time/background.ts";
import { createStatusRedactor } from "../parts/redact.ts";
import { areHeadersValid } from "./header-parameters.ts";
import { listAllTools } from "./list-tools.ts";
import { toMcpResult } from "./to-result.ts";
import { readTools, toTools } from "./to-tools.ts";

const about = { server: "s", group: null, defer: "auto", timeout: null } as const;

describe("tools", () => {
  test("hints are claims, and what is not claimed clearly is the riskier value", () => {
    const annotations = { readOnlyHint: true, idempotentHint: "yes", openWorldHint: false, title: "Hint" };
    const { tools } = toTools([{ name: "a", annotations }, { name: "b" }], about);
    expect(tools[0]).toMatchObject({ title: "Hint", traits: { readOnly: true, idempotent: false, openWorld: false } });
    expect(tools[1]).toMatchObject({
      traits: { readOnly: false, idempotent: false, openWorld: true, concurrencySafe: false },
    });
  });

  test("keep their identity while their definition is the same, and the list does too", () => {
    const raw = [
      { name: "a", description: "one", inputSchema: { type: "object", properties: { x: {}, y: {} } } },
      { name: "b", description: "two" },
    ];
    const first = toTools(raw, about).tools;
    const again = (entries: readonly unknown[]) => {
      const listed = structuredClone(entries).map((entry) => ({ entry, text: JSON.stringify(entry) }));
      return allSteps(readTools(listed, about, first)).tools;
    };
    expect(again(raw)).toBe(first);
    const otherOrder = { inputSchema: { properties: { y: {}, x: {} }, type: "object" }, description: "one", name: "a" };
    expect(again([otherOrder, raw[1]])).toBe(first);
    expect(again([raw[1], raw[0]])).toEqual([first[1], first[0]]);
    expect(again([raw[0], raw[0]])[1]).not.toBe(first[0]);
    expect(again([{ ...raw[0], annotations: { extra: 1 } }, raw[1]])[0]).not.toBe(first[0]);
    const changed = again([raw[0], { name: "b", description: "new" }, { name: "c" }]);
    expect(changed[0]).toBe(first[0]);
    expect(changed[1]).not.toBe(first[1]);
  });

  test("anything can be in a list", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (raw) => {
        const { tools, skipped } = toTools(raw, about);
        expect(tools.length + skipped).toBe(raw.length);
      }),
    );
  });
});

describe("parameters that are headers too", () => {
  const header = (name: unknown, type: unknown = "string") => ({ type, "x-mcp-header": name });
  const object = (properties: object) => ({ type: "object", properties });

  test.each([
    [null],
    [object({ a: { type: "string" } })],
    [object({ a: header("A"), b: object({ c: header("C", "integer") }) })],
    [object({ properties: { type: "string" }, items: header("Items") })],
  ])("%j is fine", (schema) => {
    expect(areHeadersValid(schema)).toBe(true);
  });

  test.each([
    [header("Root")],
    [object({ a: header("") })],
    [object({ a: header("two words") })],
    [object({ a: header(5) })],
    [object({ a: header("A", "number") })],
    [object({ a: header("A"), b: header("a") })],
    [object({ a: { type: "array", items: header("A") } })],
    [{ ...object({}), $defs: { x: header("A") } }],
    [{ ...object({}), anyOf: [object({ a: header("A") })] }],
  ])("%j is not", (schema) => {
    expect(areHeadersValid(schema)).toBe(false);
  });
});

test("a schema nested ever deeper is looked through once", () => {
  let schema: object = { type: "string" };
  for (let depth = 0; depth < 1_000; depth++) schema = { items: schema, $defs: { a: { type: "string" } } };
  expect(areHeadersValid(schema)).toBe(true);
});

describe("lists", () => {
  const limits = { listPages: 5, listTools: 10, listBytes: 1_000 };
  const pages = (all: readonly unknown[]) => async (cursor: string | null) => all[Number(cursor ?? 0)];

  test("all pages are put together", async () => {
    const all = [{ tools: [1], nextCursor: "1" }, { tools: [2, 3], nextCursor: "2" }, { tools: [] }];
    const listed = await listAllTools(pages(all), limits, BACKGROUND);
    expect(listed.map(({ entry, text }) => [entry, text])).toEqual([1, 2, 3].map((one) => [one, String(one)]));
  });

  test.each([
    ["is not a list", [{ tools: 5 }]],
    ["has more than 10 tools", [{ tools: Array(11).fill(0) }]],
    ["is larger than 1000 bytes", [{ tools: ["x".repeat(1_000)] }]],
    [
      "comes back to a page",
      [
        { tools: [], nextCursor: "1" },
        { tools: [], nextCursor: "1" },
      ],
    ],
    ["has more than 5 pages", Array.from({ length: 9 }, (_, at) => ({ tools: [], nextCursor: String(at + 1) }))],
  ])("one that %s is refused whole", async (text, all) => {
    await expect(listAllTools(pages(all), limits, BACKGROUND)).rejects.toThrow(text);
  });
});

describe("results", () => {
  test("a structure without content is shown as JSON", () => {
    const raw = { content: [], structuredContent: { a: 1 } };
    expect(toMcpResult(raw)).toEqual({
      textResultForLlm: '{"a":1}',
      resultType: "success",
      structured: { a: 1 },
      wire: raw,
    });
    expect(toMcpResult({ toolResult: { a: 1 } })).not.toHaveProperty("wire");
    expect(toMcpResult({ toolResult: [1] })).toMatchObject({ textResultForLlm: "[1]" });
  });

  test("nothing at all is a result, something else is not", () => {
    expect(toMcpResult({ content: [] })).toEqual({
      textResultForLlm: "",
      resultType: "success",
      wire: { content: [] },
    });
    for (const raw of [null, "text", {}, { content: "text" }]) expect(toMcpResult(raw)).toBeNull();
  });

  test("whatever the content holds, the result has a text", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.boolean(), (content, isError) => {
        const result = toMcpResult({ content, isError });
        expect(typeof result?.textResultForLlm).toBe("string");
        expect(result?.resultType).toBe(isError ? "failure" : "success");
      }),
    );
  });
});

describe("text about a server", () => {
  test("holds none of its configured secrets", () => {
    const redact = createStatusRedactor({
      env: { KEY: "env-secret-value", MODE: "dev" },
      headers: { Authorization: "Bearer abcdefgh12345" },
      url: "https://example.com/mcp?key=query-secret",
    });
    const text = redact("env-secret-value, abcdefgh12345, Bearer abcdefgh12345, query-secret, dev");
    expect(text).toBe("[hidden], [hidden], [hidden], [hidden], dev");
  });

  test("has nothing in it that a terminal would obey", () => {
    const dirty = "\u001b[1;31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u001b\\ a\u0008b\u202e \u001b";
    expect(cleanText(dirty)).toBe("red link ab ");
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be gone.
        expect(cleanText(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
      { numRuns: 30 },
    );
  });

  test("keeps the last 4 KB however it came", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 3_000, unit: fc.constantFrom("a", "b", "c") }), { maxLength: 8 }),
        (parts) => {
          const tail = createStderrTail();
          for (const part of parts) tail.push(Buffer.from(part));
          expect(tail.read() ?? "").toBe(parts.join("").slice(-4_096));
        },
      ),
    );
  });
});
