import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { costRatio } from "../../../test/fixtures/cost.ts";
import { rankWords } from "./rank-words.ts";
import { SearchIndex } from "./search-index.ts";
import type { ToolText } from "./tool-text.ts";

const WORDS = ["create", "list", "issue", "comment", "weather", "forecast", "file", "search", "image", "github"];
const words = (least: number, most: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength: least, maxLength: most }).map((list) => list.join(" "));
const tool = fc.record({
  name: words(1, 3).map((text) => text.replaceAll(" ", "_")),
  description: words(0, 6),
  server: fc.constantFrom("github", "weather", ""),
  inputSchema: fc.constant(null),
});
const step = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), key: fc.nat(11), tool }),
  fc.record({ kind: fc.constant("remove" as const), key: fc.nat(11) }),
);

function find<K>(index: SearchIndex<K>, query: string): readonly (readonly [K | undefined, number])[] {
  const allowed = new Uint8Array(index.slots.length).fill(1);
  return rankWords(index, query, allowed).map(({ slot, score }) => [index.slots[slot]?.key, score] as const);
}

const plain = (name: string, description = "", server: string | null = null): ToolText => ({
  name,
  description,
  server,
  inputSchema: null,
});

test("an index that tools came to and left finds what a fresh one finds", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), words(1, 5), (steps, query) => {
      const lived = new SearchIndex<number>();
      const now = new Map<number, ToolText>();
      for (const change of steps) {
        if (change.kind === "add") {
          lived.add(change.key, change.tool);
          now.set(change.key, change.tool);
        } else {
          expect(lived.remove(change.key)).toBe(now.delete(change.key));
        }
      }
      const fresh = new SearchIndex<number>();
      for (const [key, text] of now) fresh.add(key, text);
      expect(lived.size).toBe(fresh.size);
      const scores = (index: SearchIndex<number>) => new Map(find(index, query).map(([key, score]) => [key, score]));
      expect(scores(lived)).toEqual(scores(fresh));
      const names = (index: SearchIndex<number>) =>
        find(index, query).map(([key]) => (key === undefined ? null : [now.get(key)?.name, now.get(key)?.server]));
      expect(names(lived)).toEqual(names(fresh));
    }),
    { numRuns: 300 },
  );
});

test("a word that no tool holds any more is forgotten", () => {
  const index = new SearchIndex<string>();
  index.add("a", plain("unicorn_finder"));
  index.add("b", plain("file_finder"));
  index.remove("a");
  expect(index.find("unicorn")).toBeUndefined();
  expect(index.find("finder")?.size).toBe(1);
});

test("only marked slots are ever found", () => {
  const index = new SearchIndex<string>();
  for (const name of ["create_issue", "create_comment", "create_file"]) index.add(name, plain(name));
  const allowed = new Uint8Array(index.slots.length);
  allowed[index.slotOf("create_comment") ?? 0] = 1;
  expect(rankWords(index, "create issue", allowed).map(({ slot }) => index.slots[slot]?.key)).toEqual([
    "create_comment",
  ]);
  const all = new Map([...index.keys()].map((key) => [key, 1]));
  const hinted = rankWords(index, "nothing", allowed, { remembered: all, similar: all });
  expect(hinted.map(({ slot }) => index.slots[slot]?.key)).toEqual(["create_comment"]);
});

test("another word for the same thing finds a tool, behind one that is named so", () => {
  const index = new SearchIndex<string>();
  for (const name of ["resize_image", "crop_photo", "send_mail"]) index.add(name, plain(name));
  expect(find(index, "photo").map(([key]) => key)).toEqual(["crop_photo", "resize_image"]);
});

test("parameters, their descriptions and choices, titles, aliases and examples are found", () => {
  const index = new SearchIndex<string>();
  const schema = {
    type: "object",
    properties: {
      latitude: { type: "number", description: "Degrees north" },
      unit: { enum: ["celsius", "kelvin"] },
      nested: { type: "array", items: { type: "object", properties: { barometer: {} } } },
    },
  };
  index.add("a", {
    ...plain("tool_a"),
    inputSchema: schema,
    aliases: ["meteo"],
    title: "Sunshine",
    examples: ["umbrella today"],
  });
  index.add("b", plain("tool_b"));
  for (const query of ["latitude", "degrees", "kelvin", "barometer", "meteo", "sunshine", "umbrella"])
    expect(find(index, query)[0]?.[0]).toBe("a");
});

describe("hostile definitions", () => {
  const clean = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      plain(`tool_${at}`, `${WORDS[at % 10]} number ${at} of server ${at % 50}`),
    );

  test("a description of any length and a schema of any depth or width are read up to a cap", () => {
    const index = new SearchIndex<string>();
    let deep: object = { description: "bottomword" };
    for (let at = 0; at < 5_000; at++) deep = { properties: { down: deep } };
    const wide = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { description: "x".repeat(99) }]),
    );
    index.add("long", plain("long", "spam ".repeat(1_000_000)));
    index.add("deep", { ...plain("deep"), inputSchema: deep });
    index.add("wide", { ...plain("wide"), inputSchema: { properties: wide } });
    index.add("odd", { ...plain("odd"), inputSchema: { properties: { a: null, b: 3, c: { enum: "no list" } } } });
    expect(index.slots.every((slot) => (slot?.terms.length ?? 0) < 500)).toBe(true);
  });

  test("repeating a word does not lift a tool above one that is named so", () => {
    const index = new SearchIndex<string>();
    for (const tool of clean(50)) index.add(tool.name, tool);
    index.add("honest", plain("send_invoice", "Sends an invoice to a customer"));
    index.add("spam", plain("other_tool", "send invoice ".repeat(10_000)));
    expect(find(index, "send invoice")[0]?.[0]).toBe("honest");
  });

  test("tools that all hold every word do not make a query much slower", () => {
    const every = Array.from({ length: 150 }, (_, at) => `word${at}`).join(" ");
    const query = Array.from({ length: 60 }, (_, at) => `word${at * 2}`).join(" ");
    const [honest, poisoned] = [new SearchIndex<number>(), new SearchIndex<number>()];
    const common = (at: number) =>
      Array.from({ length: 20 }, (_, step) => `word${(at * 7 + step * 11) % 900}`).join(" ");
    for (let at = 0; at < 6_000; at++) {
      honest.add(at, plain(`tool_${at}`, common(at)));
      poisoned.add(at, plain(`tool_${at}`, every));
    }
    const ask = (index: SearchIndex<number>) => () => {
      for (let round = 0; round < 5; round++) find(index, query);
    };
    // The limit of 5 times is held by the benchmark, on a machine with nothing else to do.
    expect(costRatio(ask(poisoned), ask(honest), 15)).toBeLessThan(15);
  });
});
