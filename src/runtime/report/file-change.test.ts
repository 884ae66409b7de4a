import { expect, test } from "vitest";
import { toChangedLines, withoutChange } from "./file-change.ts";

const show = (args: unknown) => toChangedLines(args).map(({ mark, text }) => `${mark}${text}`);

test("a change of a file is shown line by line, whatever tool makes it", () => {
  expect(show({ path: "a", old_str: "one\ntwo\n", new_str: "one\n2\n" })).toEqual([" one", "-two", "+2"]);
  expect(show({ path: "a", content: "new\nfile\n" })).toEqual(["+new", "+file"]);
  expect(show({ command: "create", path: "a", file_text: "new" })).toEqual(["+new"]);
  const patch = "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n*** End Patch";
  expect(show({ input: patch })).toEqual([
    " *** Begin Patch",
    " *** Update File: a",
    " @@",
    "-one",
    "+1",
    " *** End Patch",
  ]);
});

test("what the lines show is not said twice, and everything else is", () => {
  const args = { path: "a", old_str: "one", new_str: "two", replace_all: true };
  expect(withoutChange(args)).toEqual({ path: "a", replace_all: true });
  expect(withoutChange({ path: "a", mode: "x" })).toEqual({ path: "a", mode: "x" });
});

test("what says nothing of a change shows none", () => {
  for (const args of [
    null,
    {},
    { path: "a" },
    { path: "a", old_str: "x" },
    { content: "x" },
    { path: "a", content: 1 },
  ])
    expect(show(args)).toEqual([]);
});
