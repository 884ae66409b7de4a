import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GENEROUS, growth } from "../../../../test/fixtures/cost.ts";
import { makeFolder } from "../../../../test/support/builtin-host.ts";
import { NODE_DISK } from "../../../system/paths/disk.ts";
import { resolveInside } from "../../../system/paths/resolve-inside.ts";
import { loadRoots } from "../../../system/paths/roots.ts";
import { toPathMatcher } from "./glob-pattern.ts";
import { walkFiles } from "./walk-files.ts";

const FILES = [
  "a",
  "b.log",
  "foo/a",
  "foo/b.log",
  "foo/bar/a",
  "foo/bar/c.txt",
  "bar/foo/a",
  "bar/b.log",
  "x y/a",
  "#a",
  "foo/[a]",
];

describe("ignore rules", () => {
  test("leave out what git leaves out", async () => {
    const folder = makeFolder(Object.fromEntries(FILES.map((file) => [file, ""])));
    execFileSync("git", ["init", "-q", folder]);
    const line = fc.oneof(
      fc.constantFrom(
        "*",
        "a",
        "/a",
        "foo",
        "foo/",
        "/foo/",
        "*.log",
        "!b.log",
        "**/bar",
        "foo/**",
        "foo/*",
        "#a",
        "\\#a",
      ),
      fc.constantFrom(
        "x y",
        "x y/ ",
        "foo/**/a",
        "!foo/",
        "!*",
        "bar/",
        "[a-b]",
        "?",
        "foo/\\[a\\]",
        "{a,b}",
        "!/foo/bar/a",
      ),
      fc.constantFrom(
        "",
        "  ",
        "\\!a",
        "***",
        "**a",
        "foo**",
        "/",
        "!",
        "*/",
        "b*g",
        "**/",
        "/**",
        "[!b]",
        "foo/[[]a]",
      ),
    );
    const rules = fc.array(line, { maxLength: 5 }).map((lines) => lines.join("\n"));
    await fc.assert(
      fc.asyncProperty(rules, rules, async (top, below) => {
        writeFileSync(join(folder, ".gitignore"), top);
        writeFileSync(join(folder, "foo/.gitignore"), below);
        const options = { cwd: folder, encoding: "utf8" } as const;
        const args = [
          "-c",
          "core.quotePath=false",
          "-c",
          "core.excludesFile=",
          "ls-files",
          "-z",
          "--others",
          "--exclude-standard",
        ];
        const expected = execFileSync("git", args, options).split("\0").filter(Boolean);
        expect((await walk(folder)).sort()).toEqual(expected.sort());
      }),
      { numRuns: 100 },
    );
  });
});

describe("a glob", () => {
  test.each([
    ["*.ts", ["a.ts", "x/a.ts"], ["a.tsx", "a.ts/b"]],
    ["src/*.ts", ["src/a.ts"], ["src/x/a.ts", "x/src/a.ts"]],
    ["src/**/*.ts", ["src/a.ts", "src/x/y/a.ts"], ["a.ts", "lib/src/a.ts"]],
    ["**/test/**", ["test/a", "x/test/y/a"], ["tests/a"]],
    ["./a.ts", ["a.ts"], ["x/a.ts"]],
    ["/a.ts", ["a.ts"], ["x/a.ts"]],
    ["{src,lib}/**/*.{ts,js}", ["src/a.ts", "lib/x/b.js"], ["bin/a.ts", "src/a.py"]],
    ["a?[0-9][!x].c", ["ab1y.c"], ["ab1x.c", "a/1y.c"]],
    ["\\*.ts", ["*.ts"], ["a.ts"]],
    ["(a|b)+.$^", ["(a|b)+.$^"], ["a.x"]],
    ["**", ["a", "x/.hidden/b"], []],
  ])("%s", (glob, hits, misses) => {
    const matches = toPathMatcher(glob);
    expect(hits.filter((path) => !matches?.(path))).toEqual([]);
    expect(misses.filter((path) => matches?.(path))).toEqual([]);
  });

  test("of many stars is matched in linear time", () => {
    const matches = toPathMatcher(`${"*a".repeat(100)}b/**/${"?*".repeat(100)}`);
    expect(matches?.(`${"a".repeat(2_000)}/c`)).toBe(false);
    expect(growth(500, (size) => () => matches?.(`${"a".repeat(size)}/c`))).toBeLessThan(GENEROUS);
  });
});

async function walk(folder: string): Promise<string[]> {
  const roots = await loadRoots(NODE_DISK, [folder]);
  const found: string[] = [];
  const signal = new AbortController().signal;
  for await (const { path } of walkFiles(roots, await resolveInside(NODE_DISK, roots, "."), signal)) found.push(path);
  return found;
}
