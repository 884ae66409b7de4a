import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeFolder } from "../../../test/support/builtin-host.ts";
import { deniedBy } from "../../../test/support/sandbox-harness.ts";
import { type CoverLimits, createCoverFinder } from "./find-covered.ts";

function finderFor(workspace: string, rules: readonly string[], limits?: CoverLimits) {
  const finder = createCoverFinder(deniedBy(rules, workspace), limits);
  return async (...roots: readonly string[]) => {
    const { covers, absent, missed } = await finder.find(roots.length === 0 ? [workspace] : roots);
    const short = (path: string): string => path.slice(workspace.length + 1);
    const shown = covers.map(({ kind, path }) => (kind === "folder" ? `${short(path)}/` : short(path)));
    return { covers: shown.sort(), absent: absent.map(short), missed };
  };
}

const FILES = {
  ".env": "",
  "a/.ENV": "",
  "a/b/c.pem": "",
  "secrets/x": "",
  "src/index.ts": "",
  "node_modules/p/.env": "",
};

describe("what has to be covered", () => {
  test("is found by every rule, at any depth and in any case; folders as a whole", async () => {
    const find = finderFor(makeFolder(FILES), ["Read(.env)", "Read(**/*.pem)", "Read(./secrets/**)"]);
    const covers = [".env", "a/.ENV", "a/b/c.pem", "node_modules/p/.env", "secrets/"];
    expect(await find()).toEqual({ covers, absent: [], missed: null });
  });

  test("is looked for again: what comes, goes or moves is seen, whatever date a folder pretends to have", async () => {
    const folder = makeFolder(FILES);
    const old = new Date("2020-01-01");
    const find = finderFor(folder, ["Read(**/*.pem)"]);
    expect((await find()).covers).toEqual(["a/b/c.pem"]);
    writeFileSync(join(folder, "src/new.pem"), "");
    utimesSync(join(folder, "src"), old, old);
    expect((await find()).covers).toEqual(["a/b/c.pem", "src/new.pem"]);
    renameSync(join(folder, "src"), join(folder, "moved"));
    rmSync(join(folder, "a/b/c.pem"));
    expect((await find()).covers).toEqual(["moved/new.pem"]);
  });

  test("where nothing is yet: only what a rule spells out, in a folder that exists, and not what stands in for it", async () => {
    const folder = makeFolder({ "src/x": "" });
    const find = finderFor(folder, ["Read(.env)", "Read(src/key)", "Read(gone/key)", "Read(*.pem)", "Read(//etc/x)"]);
    expect(await find()).toEqual({ covers: [], absent: [".env", "src/key"], missed: null });
    mkdirSync(join(folder, ".env"));
    utimesSync(join(folder, ".env"), 1, 1);
    expect(await find()).toEqual({ covers: [], absent: [".env", "src/key"], missed: null });
  });

  test("is not all covered where a file that a rule spells out has another name", async () => {
    const folder = makeFolder(FILES);
    linkSync(join(folder, "a/b/c.pem"), join(folder, "src/open"));
    const find = finderFor(folder, ["Read(./.env)", "Read(**/*.pem)"]);
    expect(await find()).toEqual({ covers: [".env", "a/b/c.pem"], absent: [], missed: null });
    linkSync(join(folder, ".env"), join(folder, "src/other"));
    expect(await find()).toMatchObject({ missed: expect.stringContaining("a file with a second name") });
  });

  test("of a link: the file that it leads to, nothing outside, and a folder cannot be covered", async () => {
    const folder = makeFolder(FILES);
    symlinkSync("src/index.ts", join(folder, "one.pem"));
    symlinkSync("/etc/passwd", join(folder, "two.pem"));
    symlinkSync("nowhere", join(folder, "three.pem"));
    const find = finderFor(folder, ["Read(*.pem)"]);
    expect(await find()).toEqual({ covers: ["a/b/c.pem", "src/index.ts"], absent: [], missed: null });
    symlinkSync("src", join(folder, "four.pem"));
    expect((await find()).missed).toMatch(/is a link to a folder$/);
  });

  test("is not complete beyond a limit, or where a rule means the folder itself", async () => {
    const folder = makeFolder(FILES);
    const limits = { folders: 100, covers: 10, time: 60_000 };
    expect((await finderFor(folder, ["Read(.env)"], limits)()).missed).toBe(null);
    expect((await finderFor(folder, ["Read(.env)"], { ...limits, folders: 3 })()).missed).toMatch(
      /more than 3 folders/,
    );
    expect((await finderFor(folder, ["Read(.env)"], { ...limits, covers: 1 })()).missed).toMatch(/more than 1 of them/);
    expect((await finderFor(folder, ["Read(.env)"], { ...limits, time: -1 })()).missed).toMatch(/takes longer/);
    expect((await finderFor(folder, ["Read(//**)"], limits)()).missed).toMatch(/a whole folder/);
    expect((await finderFor(join(folder, "secrets"), ["Read(/**)"], limits)()).missed).toMatch(/a whole folder/);
  });

  test("in folders inside each other is found once", async () => {
    const folder = makeFolder(FILES);
    const find = finderFor(folder, ["Read(**/.env)"]);
    expect((await find(folder, join(folder, "a"))).covers).toEqual(await find().then(({ covers }) => covers));
  });
});

test("no file that a rule denies is passed over because of its name", () => {
  const name = fc.constantFrom(".env", ".ENV", "a", "b.pem", "É", "e\u0301", "x[1]", "secrets", "[", "z");
  const segment = fc.constantFrom(".env", "*", "**", "*.pem", "?", "[!a]*", "[a-z]", "sec*", "É", "{a,.env}", "x\\[1]");
  const rule = fc.tuple(
    fc.constantFrom("", "./", "/", "//w/", "**/"),
    fc.array(segment, { minLength: 1, maxLength: 3 }),
  );
  fc.assert(
    fc.property(
      fc.array(rule, { minLength: 1, maxLength: 3 }),
      fc.array(name, { minLength: 1, maxLength: 4 }),
      (rules, path) => {
        const denied = deniedBy(
          rules.map(([start, parts]) => `Read(${start}${parts.join("/")})`),
          "/w",
        );
        const whole = `/w/${path.join("/")}`;
        const above = `/w/${path.slice(0, -1).join("/")}`;
        if (denied.has(whole) && !denied.has(above)) expect(denied.mayBe(path.at(-1) ?? "")).toBe(true);
        if (denied.has(above) && path.length > 1) expect(denied.has(whole)).toBe(true);
      },
    ),
    { numRuns: 2_000 },
  );
});
