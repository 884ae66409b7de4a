import { expect, test } from "vitest";
import { compareMeaning } from "./compare-meaning.ts";
import { rankWords } from "./rank-words.ts";
import { readWords } from "./read-words.ts";
import { SearchIndex } from "./search-index.ts";
import { hashWord, shippedVectors, unpackVectors } from "./word-vectors.ts";

/** Three words of two numbers: wolf and dog point the same way, sea elsewhere. */
const TINY = pack(2, { wolf: [127, 0], dog: [125, 22], sea: [0, 127] });

function pack(width: number, words: Readonly<Record<string, readonly number[]>>) {
  const rows = Object.entries(words);
  const bytes = new Uint8Array(rows.length * (width + 4));
  const table = new DataView(bytes.buffer);
  rows.forEach(([word, row], at) => {
    table.setUint32(at * 4, hashWord(word), true);
    row.forEach((value, column) => {
      table.setInt8(rows.length * 4 + at * width + column, value);
    });
  });
  return unpackVectors({ width, packed: btoa(String.fromCharCode(...bytes)) });
}

function toIndex(...tools: readonly (readonly [string, string])[]): SearchIndex<string> {
  const index = new SearchIndex<string>();
  for (const [name, description] of tools) index.add(name, { name, description, server: null, inputSchema: null });
  return index;
}

function compare(index: SearchIndex<string>, text: string, vectors = TINY) {
  const candidates = [...index.keys()].map((key) => ({ slot: index.slotOf(key) ?? 0, score: 1 }));
  return compareMeaning(index, readWords(index, text), candidates, vectors);
}

function rank(index: SearchIndex<string>, text: string): readonly (string | undefined)[] {
  const allowed = new Uint8Array(index.slots.length).fill(1);
  return rankWords(index, text, allowed).map(({ slot }) => index.slots[slot]?.key);
}

test("packed vectors are read back, and a word that is not among them has no row", () => {
  const row = TINY.rowOf("dog");
  expect([...TINY.numbers.subarray(row * 2, row * 2 + 2)]).toEqual([125, 22]);
  expect(TINY.rowOf("cat")).toBe(-1);
});

test("the package's vectors are whole: rows of one length, and like words point the same way", () => {
  const { width, numbers, rowOf } = shippedVectors();
  const rows = numbers.length / width;
  expect(Number.isInteger(rows)).toBe(true);
  const toRow = (row: number) => numbers.subarray(row * width, (row + 1) * width);
  const dot = (a: Int8Array, b: Int8Array) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  for (let row = 0; row < rows; row++) expect(Math.sqrt(dot(toRow(row), toRow(row)))).toBeCloseTo(127, -1);
  const cosine = (a: string, b: string) => dot(toRow(rowOf(a)), toRow(rowOf(b))) / 127 ** 2;
  expect(cosine("flight", "airport")).toBeGreaterThan(cosine("flight", "invoic"));
  expect(cosine("forecast", "weather")).toBeGreaterThan(cosine("forecast", "song"));
});

test("a tool whose words mean about the same is nearer than one about something else", () => {
  const index = toIndex(["feed_dog", ""], ["watch_sea", ""], ["other", ""]);
  const { clause, words } = compare(index, "wolf");
  for (const near of [clause, words]) {
    expect(near[0]).toBe(Math.max(...near));
    expect(near[1]).toBeLessThan(0);
  }
});

test("few words count for less than many", () => {
  const index = toIndex(["feed_dog", ""], ["watch_sea", ""], ["other", ""]);
  const [one, two] = [compare(index, "wolf"), compare(index, "wolf dog")];
  expect(one.clause[0]).toBeGreaterThan(0);
  expect(two.clause[0]).toBeGreaterThan(one.clause[0] ?? 0);
  expect(two.words[0]).toBeGreaterThan(one.words[0] ?? 0);
});

test("of a long request the best wish counts", () => {
  const index = toIndex(["watch_sea", ""], ["feed_dog", ""], ["other", ""]);
  const long = "Tell one two three four about wolf. Then show five six seven eight of sea.";
  const { clause } = compare(index, long);
  expect(clause[0]).toBeCloseTo(clause[1] ?? 0, 1);
  expect(clause[2]).toBeLessThan(0);
});

test("words without vectors leave every tool as near as the others, and no number out of bounds", () => {
  const index = toIndex(["alpha", ""], ["beta", ""]);
  for (const text of ["", "gamma", "12 34", "π"]) {
    const { clause, words } = compare(index, text);
    expect([...clause, ...words]).toEqual([0, 0, 0, 0]);
  }
  expect(compare(toIndex(), "wolf").clause).toHaveLength(0);
});

test("how near a tool is does not depend on the order of the candidates", () => {
  const index = toIndex(["feed_dog", "sea"], ["watch_sea", "dog dog wolf"], ["other", "wolf sea"]);
  const slots = [...index.keys()].map((key) => ({ slot: index.slotOf(key) ?? 0, score: 1 }));
  const query = readWords(index, "wolf at sea");
  const there = compareMeaning(index, query, slots, TINY);
  const back = compareMeaning(index, query, slots.toReversed(), TINY);
  expect(back.clause.toReversed()).toEqual(there.clause);
  expect(back.words.toReversed()).toEqual(there.words);
});

test("a word that takes the number of a forgotten one is not taken for it", () => {
  const index = toIndex(["dog", ""], ["other", ""]);
  expect(compare(index, "wolf").clause[0]).toBeGreaterThan(0);
  index.remove("dog");
  index.add("sea", { name: "sea", description: "", server: null, inputSchema: null });
  expect([...compare(index, "wolf").clause]).toEqual([0, 0]);
});

test("of tools that share a word with the request, the one that is about it comes first", () => {
  const index = toIndex(
    ["find_qqa", "Find albums, artists and lyrics"],
    ["find_qqb", "Find routers, subnets and firewalls"],
    ["find_qqc", "Find invoices, taxes and payments"],
  );
  expect(rank(index, "find a song of this playlist")[0]).toBe("find_qqa");
  expect(rank(index, "find a network with this gateway")[0]).toBe("find_qqb");
  expect(rank(index, "find the balance of this customer account")[0]).toBe("find_qqc");
});

test("where only other words for it match, what was called before still counts", () => {
  const index = toIndex(["resize_image", ""], ["image_of_the_day", "An image, a new image each day"]);
  const allowed = new Uint8Array(index.slots.length).fill(1);
  const [before] = rankWords(index, "photo", allowed).map(({ slot }) => index.slots[slot]?.key);
  const other = before === "resize_image" ? "image_of_the_day" : "resize_image";
  const [after] = rankWords(index, "photo", allowed, { remembered: new Map([[other, 1]]) });
  expect(index.slots[after?.slot ?? 0]?.key).toBe(other);
});
