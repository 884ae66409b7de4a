import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Follows the pages for contributors to the letter, all in one copy of the checkout. */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGES = "docs/contributing";
const COPIED = [
  ...["src", "test", "docs", "bench", "bin", "scripts", "examples", "requests"],
  ...readdirSync(ROOT).filter((name) => /\.(?:md|ts)$|^package\.json$|^tsconfig.*\.json$/.test(name)),
];

/** A block of a page that says what to do with it: make a file of it, put it behind a line of one, or in place of words. */
interface Step {
  readonly page: string;
  readonly path: string;
  readonly how: "file" | "after" | "replaces";
  /** The words of that line, or those that go. */
  readonly words: string;
  readonly text: string;
}

const steps = readdirSync(join(ROOT, PAGES)).flatMap((name): readonly Step[] => {
  const page = `${PAGES}/${name}`;
  const text = readFileSync(join(ROOT, page), "utf8");
  const blocks = text.matchAll(
    /^```\w+ (?:file|in)=(\S+?)(?: (after|replaces)="((?:[^"\\]|\\.)*)")?\n([\s\S]*?)^```$/gm,
  );
  return [...blocks].map(([, path = "", how = "file", words = "", body = ""]) => ({
    page,
    path,
    how: how === "after" || how === "replaces" ? how : "file",
    words: words.replaceAll('\\"', '"'),
    text: body,
  }));
});
const tests = steps.map(({ path }) => path).filter((path) => path.endsWith(".test.ts"));
let copy = "";

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "toolcrib-contributing-"));
  for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  for (const made of ["node_modules", "dist"]) symlinkSync(join(ROOT, made), join(copy, made), "junction");
  for (const step of steps) follow(step);
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

test("each page has code and a test of its own", () => {
  const pages = readdirSync(join(ROOT, PAGES)).map((name) => `${PAGES}/${name}`);
  const tested = steps.filter(({ path }) => path.endsWith(".test.ts")).map(({ page }) => page);
  expect([...new Set(tested)].sort()).toEqual(pages.sort());
});

test("following the pages ends with code that compiles", { timeout: 180_000 }, () => {
  // Tests that no page touches are left out: they are checked with the checkout itself.
  const written = steps.map(({ path }) => path).filter((path) => path.endsWith(".ts"));
  const config = {
    extends: "./tsconfig.json",
    files: [...new Set(written)],
    include: ["src"],
    exclude: ["src/surfaces/inspector", "**/*.test.ts", "**/*.test-d.ts"],
  };
  writeFileSync(join(copy, "tsconfig.pages.json"), JSON.stringify(config));
  // Several threads check some of it twice, and here others have the other cores.
  expect(run("tsc", ["--noEmit", "--singleThreaded", "-p", "tsconfig.pages.json"])).toEqual({ status: 0, out: "" });
});

test("following the pages ends with tests that pass, and breaks none of the house's own", {
  timeout: 180_000,
}, () => {
  const own = ["architecture", "codes", "documented-lists", "rules", "laws/gates"].map(
    (name) => `test/${name}.test.ts`,
  );
  const { status, out } = run("vitest", ["run", "--project=tests", "--reporter=dot", ...tests, ...own]);
  expect(status, out).toBe(0);
});

test("following the pages ends with pages that print what the command prints", { timeout: 180_000 }, () => {
  const filter = ["-t", "prints what the page says"];
  const { status, out } = run("vitest", ["run", "--project=tests", "test/documentation.test.ts", ...filter]);
  expect(status, out).toBe(0);
});

function follow({ page, path, how, words, text }: Step): void {
  const target = join(copy, path);
  if (how === "file") {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text, { flag: "wx" });
    return;
  }
  const before = readFileSync(target, "utf8");
  if (how === "replaces") {
    if (!before.includes(words)) throw new Error(`${page}: ${path} has no ${JSON.stringify(words)}`);
    writeFileSync(target, before.replaceAll(words, text.replace(/\n$/, "")));
    return;
  }
  const lines = before.split("\n");
  const at = lines.findIndex((line) => line.includes(words));
  if (at < 0) throw new Error(`${page}: ${path} has no line with ${JSON.stringify(words)}`);
  lines.splice(at + 1, 0, text.replace(/\n$/, ""));
  writeFileSync(target, lines.join("\n"));
}

function run(program: string, args: readonly string[]): { readonly status: number | null; readonly out: string } {
  const path = join(ROOT, "node_modules", ".bin", program);
  const { status, stdout, stderr } = spawnSync(path, args, {
    cwd: copy,
    encoding: "utf8",
    // What is loaded once serves all; the build is that of the checkout, without what the pages add.
    env: { ...process.env, NO_COLOR: "1", VITEST_MAX_WORKERS: "1", TOOLCRIB_TEST_BUILT: "0" },
  });
  return { status, out: `${stdout}${stderr}` };
}
