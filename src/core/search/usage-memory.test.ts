import { describe, expect, test } from "vitest";
import { rankWords } from "./rank-words.ts";
import { SearchIndex } from "./search-index.ts";
import { UsageMemory } from "./usage-memory.ts";
import { VectorStore } from "./vector-store.ts";

const DAY = 24 * 60 * 60 * 1_000;
const index = new SearchIndex<string>();
for (const name of ["list_records", "send_parcel", "draw_chart"])
  index.add(name, { name, description: "", server: null, inputSchema: null });
const allowed = new Uint8Array(index.slots.length).fill(1);
const rank = (query: string, memory: UsageMemory, now = 0): readonly (string | undefined)[] =>
  rankWords(index, query, allowed, { remembered: memory.match(index, query, now) }).map(
    ({ slot }) => index.slots[slot]?.key,
  );

describe("usage memory", () => {
  test("a tool that served a request before is found by its words", () => {
    const memory = UsageMemory.from([{ query: "quux the zorble", identity: "draw_chart", at: 0 }]);
    expect(rank("zorble quux", new UsageMemory())).toEqual([]);
    expect(rank("zorble quux", memory)).toEqual(["draw_chart"]);
  });

  test("fades with time", () => {
    const memory = UsageMemory.from([{ query: "picture", identity: "draw_chart", at: 0 }]);
    const at = (days: number): number => memory.match(index, "picture", days * DAY).get("draw_chart") ?? 0;
    expect(at(0)).toBeGreaterThan(at(30));
    expect(at(30)).toBeGreaterThan(at(300));
    expect(at(300)).toBeLessThan(0.01);
  });

  test("keeps the latest 32 uses of a tool, and the 2,000 tools used last", () => {
    const memory = new UsageMemory();
    for (let at = 0; at < 2_100; at++) memory.record({ query: "word", identity: `tool_${at}`, at });
    for (let at = 0; at < 100; at++) memory.record({ query: `thing${at}`, identity: "busy", at });
    expect(memory.size).toBe(2_000);
    expect(memory.toUses().filter(({ identity }) => identity === "busy")).toHaveLength(32);
    expect(memory.match(index, "thing99", 0).has("busy")).toBe(true);
    expect(memory.match(index, "thing5", 0).has("busy")).toBe(false);
  });

  test("can be stored and read again", () => {
    const memory = UsageMemory.from([
      { query: "shipping boxes quickly", identity: "send_parcel", at: 5 },
      { query: "picture", identity: "draw_chart", at: 3 },
    ]);
    const again = UsageMemory.from(JSON.parse(JSON.stringify(memory.toUses())));
    expect(again.match(index, "ship a box", 9)).toEqual(memory.match(index, "ship a box", 9));
  });

  test("a request without words is not remembered", () => {
    const memory = UsageMemory.from([{ query: "the ?!", identity: "draw_chart", at: 0 }]);
    expect(memory.size).toBe(0);
  });
});

describe("a plugged-in embedder", () => {
  test("finds tools that share no word with the request", () => {
    const store = new VectorStore<string>();
    store.set("send_parcel", new Float32Array([3, 0]));
    store.set("draw_chart", new Float32Array([0, 2]));
    const similar = store.nearest(new Float32Array([1, 0.1]));
    const [first] = rankWords(index, "zzz", allowed, { similar });
    expect(index.slots[first?.slot ?? -1]?.key).toBe("send_parcel");
  });

  test("gives cosines, nearest first, and forgets what is deleted", () => {
    const store = new VectorStore<string>();
    store.set("a", new Float32Array([1, 1]));
    store.set("b", new Float32Array([1, 0]));
    store.set("away", new Float32Array([-1, 0]));
    expect([...store.nearest(new Float32Array([2, 0]))].map(([key]) => key)).toEqual(["b", "a"]);
    expect(store.delete("b")).toBe(true);
    expect([...store.nearest(new Float32Array([2, 0]), 1)]).toEqual([["a", expect.closeTo(Math.SQRT1_2)]]);
  });
});
