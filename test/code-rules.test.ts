import { describe, expect, test } from "vitest";
import { checkFunctions, checkSchemaWalks, checkSleeps, checkValueNames } from "./support/code-rules.ts";

/** What is wrong with these files, sources and tests. */
function offencesOf(files: Readonly<Record<string, string>>): readonly string[] {
  const all = Object.entries(files).map(([path, text]) => ({ path, text }));
  const tests = all.filter(({ path }) => path.startsWith("test/") || path.includes(".test."));
  const sources = all.filter((file) => !tests.includes(file));
  return [
    ...sources.flatMap(checkFunctions),
    ...sources.flatMap(checkSchemaWalks),
    ...checkValueNames(sources),
    ...tests.flatMap(checkSleeps),
  ].map(({ path, text }) => `${path}: ${text}`);
}

describe("functions and names", () => {
  const long = (lines: number): string => `export const a = () => {\n${"  b();\n".repeat(lines - 2)}};\n`;

  test("a function ends at 80 lines, blank ones and comments counted", () => {
    const other = `// one\n/* two */\n${long(81).replaceAll("  b();\n", "  // b\n").replace("export const a", "const c")}`;
    expect(
      offencesOf({ "src/core/tool/a.ts": long(80), "src/core/tool/b.ts": long(81), "src/core/tool/c.ts": other }),
    ).toEqual([
      "src/core/tool/b.ts: line 1: a has 81 lines; the cap for functions is 80",
      "src/core/tool/c.ts: line 3: c has 81 lines; the cap for functions is 80",
      "src/core/tool/b.ts: a is exported by src/core/tool/a.ts already",
    ]);
  });

  test("a component of the page is a function like any other", () => {
    const page = `export function A(): unknown {\n${"  b();\n".repeat(80)}  return <p>{"a"}</p>;\n}\n`;
    expect(offencesOf({ "src/surfaces/inspector/a.tsx": page })).toEqual([expect.stringContaining("A has 83 lines")]);
  });

  test("two files export no function or constant of the same name", () => {
    const files = {
      "src/core/tool/a.ts": "export async function read() {}\nexport function read() {}\n",
      "src/config/b.ts": "export const read = 1;\n",
      "src/config/c.test.ts": "export const read = 1;\n",
    };
    expect(offencesOf(files)).toEqual(["src/config/b.ts: read is exported by src/core/tool/a.ts already"]);
  });
});

test("who reads what a schema holds walks it by the one guarded fold", () => {
  const walk = "for (const part of schema.anyOf) read(part);\n";
  const fold = 'import { foldSchema } from "../schema/fold-schema.ts";\n';
  const files = {
    "src/core/code/a.ts": walk,
    "src/core/code/b.ts": fold + walk,
    "src/core/schema/c.ts": walk,
    "src/core/code/d.test.ts": walk,
  };
  expect(offencesOf(files)).toEqual([
    "src/core/code/a.ts: reads anyOf by itself; walk schemas by src/core/schema/fold-schema.ts",
  ]);
});

describe("tests", () => {
  test.each([
    "await new Promise((resolve) => setTimeout(resolve, 50));",
    "await new Promise<void>((done) => void setTimeout(done, 50));",
    'import { setTimeout as sleep } from "node:timers/promises";',
    "await letTimePass(50);",
  ])("do not sleep: %s", (line) => {
    for (const path of ["src/core/tool/a.test.ts", "test/support/a.ts"])
      expect(offencesOf({ [path]: line })).toEqual([
        `${path}: line 1: waits for time; wait for a condition (test/support/poll.ts)`,
      ]);
  });

  test.each([
    "await new Promise((resolve) => setImmediate(resolve));",
    'import { setImmediate } from "node:timers/promises";',
    "const timer = setTimeout(fail, 50);",
  ])("may say: %s", (line) => {
    expect(offencesOf({ "test/a.test.ts": line })).toEqual([]);
  });
});
