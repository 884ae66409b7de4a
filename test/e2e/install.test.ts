import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { datedChangelog, nextVersion } from "../../scripts/release.mjs";
import { ROOT } from "../support/built-cli.ts";

function newPlace(): string {
  const place = mkdtempSync(join(tmpdir(), "toolcrib-install-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  return place;
}

test("a package without its build says why, and what to do", () => {
  const place = newPlace();
  execFileSync(process.execPath, [
    "-e",
    "require('fs').cpSync(process.argv[1], process.argv[2], { recursive: true })",
    join(ROOT, "bin"),
    join(place, "bin"),
  ]);
  const { status, stderr } = spawnSync(process.execPath, [join(place, "bin/toolcrib.js"), "list"], {
    encoding: "utf8",
  });
  expect(status).toBe(3);
  expect(stderr).toContain("install it again with --ignore-scripts=false");
});

test("a release has a version that comes next, and a changelog with its date", () => {
  expect(["major", "minor", "patch", "0.1.10"].map((wanted) => nextVersion("0.1.9", wanted))).toEqual([
    "1.0.0",
    "0.2.0",
    "0.1.10",
    "0.1.10",
  ]);
  expect(() => nextVersion("0.1.9", "0.1.9")).toThrow("0.1.9 does not come after 0.1.9");
  expect(() => nextVersion("0.1.9", "next")).toThrow('"next" is no version');
  const text = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- a\n\n## [0.1.0] - 2026-01-01\n\n- old\n";
  expect(datedChangelog(text, "0.2.0", "2026-02-03")).toBe(
    "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n### Added\n\n- a\n\n## [0.1.0] - 2026-01-01\n\n- old\n",
  );
  expect(() => datedChangelog(text.replace("- a\n", ""), "0.2.0", "2026-02-03")).toThrow("nothing under Unreleased");
});
