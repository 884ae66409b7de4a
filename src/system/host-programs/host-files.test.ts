import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { makeTempFolder } from "../../../test/support/temp-folder.ts";
import { readFacts } from "./file-facts.ts";
import { findHostFiles } from "./host-files.ts";
import type { HostProgram } from "./host-program.ts";

function folderWith(files: Readonly<Record<string, string>>): string {
  const root = makeTempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
    if (text.startsWith("#!")) chmodSync(join(root, name), 0o755);
  }
  return root;
}

/** What a command line runs, as `kind path`. */
function filesOf(root: string, words: readonly string[], more: Partial<HostProgram> = {}): readonly string[] {
  const program = { what: "server", name: "s", origin: { kind: "default" }, words, folder: root, ...more } as const;
  const found = findHostFiles(program, { roots: [root], home: "/home/nobody" });
  return found.map(({ kind, path }) => `${kind} ${relative(root, path)}`).sort();
}

test("code counts by what it is, and settings are only named", () => {
  const root = folderWith({ "server.py": "", run: "#!/bin/sh\n", "config.json": "{}", notes: "x", "data.db": "" });
  expect(filesOf(root, ["python3", "server.py", "--config", "./config.json", "--db=data.db"])).toEqual([
    "named config.json",
    "named data.db",
    "program server.py",
  ]);
  expect(filesOf(root, ["./run", "./notes"])).toEqual(["named notes", "program run"]);
});

test.each([
  ["a server that fetches a package and gets a folder", ["npx", "-y", "@scope/server-filesystem", "."]],
  [
    "names, addresses and patterns",
    ["tool", "feature/x", "https://example.com/a.js", "src/*.ts", "s/a/b/", "org/image:1.js?"],
  ],
  ["a program in a container", ["docker", "run", "-v", "/data:/data", "image", "serve"]],
  ["paths that only a shell knows", ["sh", "-c", '$HOME/x.sh && "$TOOLS"/y.sh']],
])("%s bring nothing of the workspace", (_, words) => {
  expect(filesOf(folderWith({ "package.json": "{}", "index.js": "", "src/a.ts": "" }), words)).toEqual([]);
});

test("what is spelled out and not there is known, and what the program needs is missing", () => {
  const root = folderWith({ "scripts/x": "" });
  expect(filesOf(root, ["node", "dist/server.js"])).toEqual(["missing dist/server.js"]);
  expect(filesOf(root, ["./scripts/after.sh"])).toEqual(["missing scripts/after.sh"]);
  expect(filesOf(root, ["[ -f ./opt.sh ] && ./opt.sh"], { isLine: true })).toEqual(["absent opt.sh"]);
  expect(filesOf(root, ["docker", "run", "image", "node", "dist/server.js"])).toEqual(["absent dist/server.js"]);
});

test("a sandbox's stand-in is nothing", () => {
  const root = folderWith({ "scripts/x": "" });
  mkdirSync(join(root, "scripts/after.sh"));
  utimesSync(join(root, "scripts/after.sh"), 1, 1);
  expect(filesOf(root, ["./scripts/after.sh"])).toEqual(["missing scripts/after.sh"]);
});

test("imports are followed in JavaScript, Python and shell scripts, inside the workspace alone", () => {
  const root = folderWith({
    "server.mjs":
      'import a from "./lib/a.js";\nconst b = require("./lib/b");\nnew Worker(new URL("./lib/w.mjs", import.meta.url));\nimport("../outside.js");',
    "lib/a.ts": 'export * from "./deep";',
    "lib/deep/index.js": "",
    "lib/b.cjs": 'const text = "./not-there.js"; readFile("./data.json");',
    "lib/w.mjs": "",
    "lib/data.json": "{}",
    "lib/unused.js": "",
    "main.py": "import tools.web as w, os\nfrom helpers import one\nfrom .near import x\n",
    "tools/__init__.py": "",
    "tools/web.py": "",
    "helpers.py": "",
    "near.py": "",
    "other.py": "",
    "hook.sh":
      '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\nif true; then ./bin/tool --x; fi\nnode lib/w.mjs\necho ./other.py\n',
    "lib.sh": "",
    "bin/tool": "#!/bin/sh\n",
  });
  expect(filesOf(root, ["node", "server.mjs"])).toEqual([
    "program lib/a.ts",
    "program lib/b.cjs",
    "program lib/deep/index.js",
    "program lib/w.mjs",
    "program server.mjs",
  ]);
  expect(filesOf(root, ["python3", "-m", "main"])).toEqual([
    "program helpers.py",
    "program main.py",
    "program near.py",
    "program tools/__init__.py",
    "program tools/web.py",
  ]);
  expect(filesOf(root, ["./hook.sh"])).toEqual([
    "program bin/tool",
    "program hook.sh",
    "program lib.sh",
    "program lib/w.mjs",
  ]);
});

test("an installed package closes the folder that it lies in, also for what npx would take from there", () => {
  const root = folderWith({
    "server.mjs": 'import { x } from "@scope/sdk/server.js";\nimport fs from "node:fs";',
    "node_modules/@scope/sdk/server.js": 'import "./deep.js";',
    "node_modules/tool/package.json": '{ "bin": "cli.js" }',
    "node_modules/tool/cli.js": "#!/usr/bin/env node\n",
  });
  mkdirSync(join(root, "node_modules/.bin"));
  symlinkSync("../tool/cli.js", join(root, "node_modules/.bin/tool"));
  expect(filesOf(root, ["node", "server.mjs"])).toEqual(["folder node_modules", "program server.mjs"]);
  expect(filesOf(root, ["npx", "-y", "tool@1.2.3"])).toEqual([
    "folder node_modules",
    "manifest node_modules/tool/package.json",
    "program node_modules/.bin/tool",
  ]);
  expect(filesOf(root, ["npx", "-y", "other"])).toEqual([]);
});

test("variables, folders that a line goes to, and links count", () => {
  const root = folderWith({ "pre.js": "", "sub/x.sh": "#!/bin/sh\n", "real.sh": "#!/bin/sh\n", "start.sh": "" });
  symlinkSync("real.sh", join(root, "alias"));
  const env = new Map([
    ["NODE_OPTIONS", "--max-old-space-size=100 --require ./pre.js"],
    ["BASH_ENV", join(root, "start.sh")],
  ]);
  expect(filesOf(root, ["node", "x"], { env })).toEqual(["program pre.js", "program start.sh"]);
  expect(filesOf(root, ["cd sub && sh x.sh"], { isLine: true })).toContain("program sub/x.sh");
  expect(filesOf(root, ["./alias"])).toEqual(["program alias"]);
});

test("of a manifest only what says which code runs counts, and a file that changed is read again", () => {
  const root = folderWith({ "package.json": '{ "main": "a.js", "version": "1" }', "a.js": "1" });
  const digest = (name: string) => readFacts(join(root, name))?.digest();
  const [before, code] = [digest("package.json"), digest("a.js")];
  writeFileSync(join(root, "package.json"), '{ "version": "2", "main": "a.js" }');
  expect(digest("package.json")).toBe(before);
  writeFileSync(join(root, "package.json"), '{ "version": "2", "main": "b.js" }');
  expect(digest("package.json")).not.toBe(before);
  const times = [new Date(0), new Date(5_000)] as const;
  writeFileSync(join(root, "a.js"), "2");
  utimesSync(join(root, "a.js"), ...times);
  expect(digest("a.js")).not.toBe(code);
});

test("no text of a stranger takes long to look at", () => {
  const long = 1_000_000;
  const texts = {
    "a.sh": `x${" ".repeat(long)}y`,
    "b.py": `from ${".".repeat(long)}`,
    "c.js": `import${" ".repeat(long)}(${" ".repeat(long)}`,
    "d.sh": `sh ${"a".repeat(long)}`,
    "e.js": `"./${"a/".repeat(long / 2)}`,
    "f.sh": `${"$(".repeat(long / 2)}`,
    "g.js": `"./zz.js" `.repeat(long / 10),
  };
  const root = folderWith(texts);
  const began = performance.now();
  for (const name of Object.keys(texts)) expect(filesOf(root, [`./${name}`])).toEqual([`program ${name}`]);
  expect(performance.now() - began).toBeLessThan(10_000);
});
