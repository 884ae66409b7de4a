import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { buildPlugins } from "../scripts/plugins/build-plugins.mjs";
import { withoutOwnHooks } from "../src/config/foreign/own-hook.ts";
import { toNode } from "../src/core/shape/node.ts";
import { COMMANDS } from "../src/surfaces/cli/command-line/commands.ts";
import { CLIENT_HOOKS } from "../src/surfaces/guard/guard-parts.ts";
import { isInstalledLine, portableLine } from "../src/surfaces/guard/installed-line.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const { version, license, files } = JSON.parse(read("package.json"));
const skill = read("scripts/plugins/why.md");
const plugins = buildPlugins({ version, license, skill, line: portableLine, hooks: CLIENT_HOOKS });

test("the plugins are as scripts/write-plugins.mjs writes them, and nothing lies beside them", () => {
  for (const [path, text] of plugins) expect([path, read(path)]).toEqual([path, text]);
  const found = readdirSync(join(ROOT, "plugins"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length));
  expect(found.sort()).toEqual([...plugins.keys()].filter((path) => path.startsWith("plugins/")).sort());
});

test("the package brings them, and the catalogs name folders that are there", () => {
  const tops = new Set([...plugins.keys()].map((path) => path.split("/")[0]));
  expect(files).toEqual(expect.arrayContaining([...tops]));
  for (const [path, text] of plugins)
    for (const [, folder = ""] of path.endsWith("marketplace.json") ? text.matchAll(/"(\.\/[^"]+)"/g) : [])
      expect([...plugins.keys()].some((file) => `./${file}`.startsWith(`${folder}/`))).toBe(true);
});

describe.each(["claude-code", "codex", "copilot-cli", "gemini-cli"] as const)("the plugin of %s", (client) => {
  const own = [...plugins].filter(([path]) => path.startsWith(`plugins/${client}/`));
  const one = (ending: string): string => own.find(([path]) => path.endsWith(ending))?.[1] ?? "";

  test("has the hook that guard install writes for a repository, which sessions of ours leave out", () => {
    const { hooks } = JSON.parse(one("hooks.json"));
    const lines = JSON.stringify(hooks).match(/toolcrib hook [^"]*/g) ?? [];
    expect(lines).toEqual([portableLine(client)]);
    expect(isInstalledLine(lines[0] ?? "", client)).toBe(true);
    const read = toNode({ PreToolUse: [{ command: lines[0] }] }, { kind: "default" });
    expect(withoutOwnHooks(read, { home: "/home/me", env: {} })).toBeNull();
  });

  test("starts toolcrib connect, and its skill names commands that there are", () => {
    const servers = own.flatMap(
      ([, text]) => text.match(/"command": "toolcrib",\s+"args": \[\s+"connect"\s+\]/g) ?? [],
    );
    expect(servers).toHaveLength(1);
    const text = one("SKILL.md");
    expect(text).toMatch(/^---\nname: why\ndescription: "/);
    const named = [...text.matchAll(/`toolcrib ([a-z]+)/g)].map(([, name]) => name);
    expect(Object.keys(COMMANDS)).toEqual(expect.arrayContaining(named));
    expect(text).toContain(`--client ${client}`);
  });
});
