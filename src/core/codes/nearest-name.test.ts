import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../../../test/fixtures/any-character.ts";
import { GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { nearestNames } from "./nearest-name.ts";

describe("the nearest names", () => {
  test.each([
    ["edt", ["edit", "view", "grep"], ["edit"]],
    ["veiw", ["edit", "view", "grep"], ["view"]],
    ["github/creat_issue", ["github/create_issue", "github/list_issues"], ["github/create_issue"]],
    ["search_repos", ["search_repositories", "view"], ["search_repositories"]],
    ["zzzz", ["edit", "view"], []],
    ["", ["edit", "view"], []],
  ])("%j among %j is %j", (name, candidates, expected) => {
    expect(nearestNames(name, candidates)).toEqual(expected);
  });

  test("a name that differs only in case comes first", () => {
    expect(nearestNames("EDIT", ["edits", "ed1t", "edit"])[0]).toBe("edit");
  });

  test.each([
    ["everything__nosuch", ["everything__echo", "everything__get_sum", "everything__long_run"]],
    ["organisation/list", ["organisation/find", "organisation/vote", "organisation/tax"]],
    ["mcp__a_long_server__one", ["mcp__a_long_server__two", "mcp__a_long_server__all"]],
    ["builtin:grep", ["builtin:view", "builtin:edit"]],
    ["everything__nosuch", ["everything/echo", "everything/get-sum"]],
  ])("a part in front that all share makes none of them near: %j among %j", (name, candidates) => {
    expect(nearestNames(name, candidates)).toEqual([]);
  });

  test.each([
    ["everything__ehco", ["everything__echo", "everything__get_sum"], ["everything__echo"]],
    ["everythnig__echo", ["everything__echo", "everything__get_sum"], ["everything__echo"]],
    ["builtin:veiw", ["builtin:view", "builtin:edit"], ["builtin:view"]],
    ["echo", ["everything__echo", "everything__get_sum", "other/echoes"], ["everything__echo"]],
    ["everything/echo", ["mcp__everything__echo", "everything__get_sum"], ["mcp__everything__echo"]],
    ["everything__ehco", ["everything/echo", "everything/get-sum"], ["everything/echo"]],
    ["x__", ["a_server__", "another__"], []],
    ["Search", ["a__search", "b__search", "search", "research"], ["search", "a__search", "b__search"]],
  ])("a slip is found on either side of it: %j among %j is %j", (name, candidates, expected) => {
    expect(nearestNames(name, candidates)).toEqual(expected);
  });

  test.each([
    [
      "playwright/browser_run_code",
      ["playwright/browser_close", "playwright/browser_find", "playwright/browser_run_code_unsafe"],
      "playwright/browser_run_code_unsafe",
    ],
    [
      "files/read_text_file_now",
      ["files/read_file", "files/read_text_file", "files/read_media_file"],
      "files/read_text_file",
    ],
    ["list_issue", ["list_issue_comments", "list_issues"], "list_issues"],
  ])("a last word too much or too little is a slip: %j among %j is %j first", (name, candidates, expected) => {
    expect(nearestNames(name, candidates)[0]).toBe(expected);
  });

  test("one word alone says too little for that", () => {
    expect(nearestNames("browser", ["browser_close", "browser_navigate"])).toEqual([]);
  });

  test("two swapped letters are one slip, not two", () => {
    expect(nearestNames("ab", ["ba"])).toEqual(["ba"]);
    expect(nearestNames("ab", ["cd"])).toEqual([]);
  });

  test("nearer ones come first, at most as many as asked for, each once", () => {
    const candidates = ["view_files", "view_file", "view_fil", "view_file", "edit"];
    expect(nearestNames("view_file", candidates)).toEqual(["view_file", "view_fil", "view_files"]);
    expect(nearestNames("view_file", candidates, 1)).toEqual(["view_file"]);
    expect(nearestNames("view_file", candidates, 0)).toEqual([]);
  });

  test("the order of the candidates does not matter", () => {
    expect(nearestNames("tol", ["tool", "toll", "tob"])).toEqual(nearestNames("tol", ["tob", "toll", "tool"]));
    for (const names of [
      ["ba", "aa"],
      ["aa", "ba"],
    ])
      expect(nearestNames("ab", names, 1)).toEqual(["ba"]);
  });

  test("neither does it among thousands, nor how often each is named", () => {
    const names = Array.from({ length: 1_500 }, (_, at) => `list_issue_${at}`);
    const answer = nearestNames("list_isseu_700", names, 40);
    expect(answer[0]).toBe("list_issue_700");
    fc.assert(
      fc.property(fc.shuffledSubarray([...names, ...names], { minLength: 3_000 }), (mixed) => {
        expect(nearestNames("list_isseu_700", mixed, 40)).toEqual(answer);
      }),
      { numRuns: 10 },
    );
  });

  test("a candidate at one changed letter is found among 10,000 others", () => {
    const candidates = Array.from({ length: 10_000 }, (_, at) => `server${at % 50}/tool_${at}`);
    candidates.push("payments/refund_order");
    expect(nearestNames("payments/refund_ordr", candidates)).toEqual(["payments/refund_order"]);
  });

  test("very long names cost little: the query is cut, the candidate skipped", () => {
    const long = "a".repeat(100_000);
    expect(nearestNames(long, [long, "a".repeat(129), "a".repeat(128)])).toEqual(["a".repeat(128)]);
  });

  test("candidates that all look alike stay cheap", () => {
    const letters = "abcdefghij".repeat(10);
    const candidates = (count: number) =>
      Array.from({ length: count }, (_, at) => letters.slice(at % 100) + letters.slice(0, at % 100) + at);
    expect(nearestNames(letters, candidates(5)).length).toBeLessThanOrEqual(3);
    const ratio = growth(2_000, (count) => {
      const all = candidates(count);
      return () => nearestNames(letters, all);
    });
    expect(ratio).toBeLessThan(GENEROUS);
  });

  test("no string makes it throw, and every answer is one of the candidates", () => {
    const anyString = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom("__proto__", "\ud800", "İ", "constructor"),
    );
    fc.assert(
      fc.property(anyString, fc.array(anyString), (name, candidates) => {
        for (const found of nearestNames(name, candidates)) expect(candidates).toContain(found);
      }),
    );
  });

  test("two letters that changed places were meant before one that is too much", () => {
    expect(nearestNames("--modle", ["--mode", "--model"])).toEqual(["--model", "--mode"]);
  });

  test("one inserted letter is always found", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{2,40}$/), fc.nat(), (name, at) => {
        const place = at % name.length;
        expect(nearestNames(`${name.slice(0, place)}_${name.slice(place)}`, ["0000", name])).toEqual([name]);
      }),
    );
  });
});
