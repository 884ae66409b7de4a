import { describe, expect, test } from "vitest";
import { splitWords } from "./split-words.ts";
import { stem } from "./stem.ts";

const terms = (text: string, limit = 100): readonly string[] => splitWords(text, limit).map(({ term }) => term);

describe("words of identifiers", () => {
  test.each([
    ["create_issue", ["creat", "issu"]],
    ["list-pull.requests", ["list", "pull", "request"]],
    ["createIssue", ["creat", "issu", "createissu"]],
    ["HTTPServer", ["http", "server", "httpserver"]],
    ["GitHub", ["git", "hub", "github"]],
    ["base64", ["base64"]],
    ["ÜbersichtDerDateien", ["übersicht", "der", "dateien", "übersichtderdateien"]],
  ])("%s", (text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  test("the whole of an identifier is marked, so that it does not count as one more word", () => {
    expect(splitWords("createIssue", 9).map(({ whole }) => whole)).toEqual([false, false, true]);
  });
});

test("words that say nothing are left out", () => {
  expect(terms("Can you please show me the weather in Paris?")).toEqual(["show", "weather", "pari"]);
});

test("text without spaces between words is read in pairs of characters", () => {
  expect(terms("搜索结果")).toEqual(["搜索", "索结", "结果"]);
});

test("no more words are read than asked for", () => {
  expect(terms("alpha ".repeat(1_000), 7)).toHaveLength(7);
  expect(terms("搜".repeat(1_000), 7)).toHaveLength(7);
  expect(terms("aB".repeat(1_000), 7).length).toBeLessThanOrEqual(7);
});

test.each([
  ["caresses", "caress"],
  ["ponies", "poni"],
  ["agreed", "agre"],
  ["plastered", "plaster"],
  ["motoring", "motor"],
  ["hopping", "hop"],
  ["filing", "file"],
  ["relational", "relat"],
  ["vietnamization", "vietnam"],
  ["triplicate", "triplic"],
  ["adjustment", "adjust"],
  ["probate", "probat"],
  ["controll", "control"],
  ["sky", "sky"],
])("the stem of %s is %s", (word, expected) => {
  expect(stem(word)).toBe(expected);
});
