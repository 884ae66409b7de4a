import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { CLOSED_PATHS, KEPT_PATHS, whyProtected } from "../../src/core/rules/protected-paths.ts";
import { findAllGuards } from "../../src/system/sandbox/protected-paths.ts";
import { openWith } from "../claude-settings/settings-session.ts";
import { needs } from "../support/machine.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const NONE = { repositories: [] };

test("what the sandbox closes, file tools and rules ask about, at any depth and in any case", () => {
  const world = { workspace: "/w" };
  for (const path of [...CLOSED_PATHS, ...KEPT_PATHS])
    for (const place of [`/w/${path}`, `/w/sub/${path}`, `/w/${path.toUpperCase()}`])
      expect(whyProtected(place, world, place), place).not.toBeNull();
  expect(whyProtected("/w/src/main.ts", world, "it")).toBeNull();
});

test("the sandbox takes its paths from that table", () => {
  const root = makeTempFolder();
  const guarded = () => findAllGuards(root, NONE, "/home/nobody").map(({ path }) => path);
  const closed = CLOSED_PATHS.filter((path) => path !== ".git").map((path) => join(root, path));
  expect(guarded()).toEqual(expect.arrayContaining(closed));
  expect(guarded().filter((path) => KEPT_PATHS.some((kept) => path === join(root, kept)))).toEqual([]);
  for (const path of KEPT_PATHS) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (!existsSync(join(root, path))) writeFileSync(join(root, path), "");
  }
  expect(guarded()).toEqual(expect.arrayContaining(KEPT_PATHS.map((path) => join(root, path))));
});

test(
  "commands cannot write what hooks of git, tool managers and package managers read",
  needs("bwrap", "bash"),
  async () => {
    const files = [
      ".gitattributes",
      "lefthook.yml",
      "mise.toml",
      ".npmrc",
      ".pre-commit-config.yaml",
      ".husky/pre-commit",
    ];
    const { session, cwd } = await openWith(
      { "toolcrib.json": { builtins: "all" }, ...Object.fromEntries(files.map((name) => [name, "first\n"])) },
      { answer: () => ({ decision: "allow" }) },
    );
    const command = `for f in ${files.join(" ")} .claude.json .agents .zed lefthook-local.yml; do echo second > $f; rm -rf $f; mv $f x; done 2>/dev/null; echo ran`;
    expect(await session.call("bash", { command })).toMatchObject({ textResultForLlm: expect.stringContaining("ran") });
    expect(files.map((name) => readFileSync(join(cwd, name), "utf8"))).toEqual(files.map(() => "first\n"));
    expect(
      [".claude.json", ".agents", ".zed", "lefthook-local.yml"].filter((name) => existsSync(join(cwd, name))),
    ).toEqual([]);
  },
);
