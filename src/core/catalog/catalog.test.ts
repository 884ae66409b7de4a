import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aMcpTool, aTool } from "../../../test/fixtures/builders.ts";
import { compareBytes } from "./byte-order.ts";
import { buildCatalog } from "./catalog.ts";
import { toGlob } from "./glob.ts";
import type { WireStyle } from "./wire-name.ts";

/** The readable head with eight hex digits of a hash over `server/raw`. */
const hashed = (head: string, identity: string) => `${head}_${hash("sha256", identity).slice(0, 8)}`;
const namesOf = (...tools: readonly ReturnType<typeof aTool>[]) =>
  Object.fromEntries(buildCatalog(tools).entries.map(({ identity, wireName }) => [identity, wireName]));

describe("wire names (N1, N2)", () => {
  test.each([
    ["server__tool", "github__get", "a__b"],
    ["server-tool", "github-get", "a-b"],
    ["mcp__server__tool", "mcp__github__get", "mcp__a__b"],
  ] satisfies [WireStyle, string, string][])("style %s", (style, first, second) => {
    const { entries } = buildCatalog([aMcpTool("github/get"), aMcpTool("a/b"), aTool("view")], { style });
    expect(entries.map(({ wireName }) => wireName)).toEqual(["view", second, first]);
  });

  test("64 characters are kept, 65 are cut to 64 with eight hex digits of a hash", () => {
    const names = namesOf(
      aTool("a".repeat(64)),
      aTool("b".repeat(65)),
      aMcpTool(`s/${"c".repeat(61)}`),
      aMcpTool(`s/${"d".repeat(62)}`),
    );
    expect(names["a".repeat(64)]).toBe("a".repeat(64));
    expect(names["b".repeat(65)]).toMatch(/^b{55}_[0-9a-f]{8}$/);
    expect(names[`s/${"c".repeat(61)}`]).toBe(`s__${"c".repeat(61)}`);
    expect(names[`s/${"d".repeat(62)}`]).toMatch(/^s__d{52}_[0-9a-f]{8}$/);
  });

  test("a legal name keeps itself, and all that only clean to it get the hash of who they are", () => {
    const names = namesOf(aMcpTool("s/a.b"), aMcpTool("s/a b"), aMcpTool("s/a_b"));
    expect(names).toEqual({
      "s/a_b": "s__a_b",
      "s/a.b": hashed("s__a_b", "s/a.b"),
      "s/a b": hashed("s__a_b", "s/a b"),
    });
  });

  test("where no name was legal, all get the hash, so that none depends on the others' arrival", () => {
    const both = namesOf(aMcpTool("s/a.b"), aMcpTool("s/a b"));
    expect(Object.values(both).every((name) => /^s__a_b_[0-9a-f]{8}$/.test(name))).toBe(true);
  });

  test("alone, a cleaned name needs no hash", () => {
    expect(namesOf(aMcpTool("my server/get.it"))).toEqual({ "my server/get.it": "my_server__get_it" });
  });

  test("a name that happens to be another's hashed name is left to the tool that owns it", () => {
    const taken = hashed("s__a_b", "s/a.b");
    const names = namesOf(aMcpTool("s/a.b"), aMcpTool("s/a_b"), aTool(taken));
    expect(names[taken]).toBe(taken);
    expect(names["s/a.b"]).toMatch(/^s__a_b_[0-9a-f]{8}$/);
    expect(new Set(Object.values(names)).size).toBe(3);
  });

  test("in a session a name stays with its first holder, and a later rightful claim gets the hash", () => {
    const first = buildCatalog([aMcpTool("s/a.b")]);
    const second = buildCatalog([aMcpTool("s/a_b")], { previous: first });
    const third = buildCatalog([aMcpTool("s/a_b"), aMcpTool("s/a.b")], { previous: second });
    const names = Object.fromEntries(third.entries.map(({ identity, wireName }) => [identity, wireName]));
    expect(names["s/a.b"]).toBe("s__a_b");
    expect(names["s/a_b"]).toBe(second.entries[0]?.wireName);
    expect(names["s/a_b"]).toMatch(/^s__a_b_[0-9a-f]{8}$/);
  });
});

describe("order and hash (C1, C3)", () => {
  test("an entry about which nothing changed is the same object in the next catalog", () => {
    const tools = [aTool("view"), aMcpTool("s/get"), aMcpTool("s/put")];
    const first = buildCatalog(tools);
    const second = buildCatalog([...tools, aMcpTool("s/more")], { previous: first });
    const kept = new Set<unknown>(first.entries);
    expect(second.entries.filter((entry) => !kept.has(entry)).map(({ id }) => id)).toEqual(["s/more"]);
  });

  test("tool_search is in neither the entries nor the hash, whether or not a world lists it", () => {
    const bare = buildCatalog([aTool("view")]);
    const listed = buildCatalog([aTool("view"), aTool("tool_search")]);
    expect(listed.hash).toBe(bare.hash);
    expect(listed.entries.map(({ id }) => id)).toEqual(["view"]);
  });

  test("the hash covers every tool, hidden duplicates too", () => {
    const one = buildCatalog([aTool("view")]).hash;
    expect(buildCatalog([aTool("view"), aTool({ name: "view", source: "module" })]).hash).not.toBe(one);
    expect(one).toMatch(/^[0-9a-f]{64}$/);
  });

  test("the wire style is part of the names, and so of the hash", () => {
    const tools = [aMcpTool("s/get")];
    expect(buildCatalog(tools, { style: "server-tool" }).hash).not.toBe(buildCatalog(tools).hash);
  });
});

test.each([
  ["a", "b", -1],
  ["a", "a", 0],
  ["a", "ab", -1],
  ["B", "a", -1],
  ["-", "_", -1],
  ["\u{1f600}", "\uffff", 1],
  ["\ud7ff", "\ue000", -1],
  ["\u00e9", "z", 1],
])("in byte order %j against %j is %d", (left, right, expected) => {
  expect(Math.sign(compareBytes(left, right))).toBe(expected);
  const bytes = Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right)));
  expect(Math.sign(compareBytes(left, right))).toBe(bytes);
});

test.each([
  ["*", "", true],
  ["*", "abc", true],
  ["a*", "a", true],
  ["a*a", "a", false],
  ["a*a", "aa", true],
  ["*b*", "abc", true],
  ["a*b*c", "abbc", true],
  ["a*bb*bc", "abbc", false],
  ["**", "x", true],
  ["a.c", "abc", false],
  ["a*", "ba", false],
])("the pattern %s over %j: %j", (pattern, text, expected) => {
  expect(toGlob(pattern)(text)).toBe(expected);
});
