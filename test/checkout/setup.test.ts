import { spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));

/** Stands in for `npm ci`: records that it ran, and what it installed, with the tools or without. */
const FAKE_NPM = `#!${process.execPath}
const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
appendFileSync("ran.txt", "npm " + process.argv.slice(2).join(" ") + "\\n");
mkdirSync("node_modules", { recursive: true });
const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
delete lock.packages[""]; // As npm does: the checkout itself is none of what it installed.
if (!process.argv.includes("--workspaces=null")) delete lock.packages["node_modules/tool"];
writeFileSync("node_modules/.package-lock.json", JSON.stringify(lock));
`;
/** Stands in for the build: one file, copied to where the executable and where a library would be. */
const FAKE_BUILD = `
import { appendFileSync, copyFileSync, existsSync, mkdirSync } from "node:fs";
appendFileSync("ran.txt", "build\\n");
if (existsSync("broken")) { console.log("src/a.ts:1:1: ERROR: no"); process.exit(2); }
mkdirSync(process.argv[2] + "/command", { recursive: true });
for (const name of ["main.cjs", "library.js"]) copyFileSync("src/main.ts", process.argv[2] + "/command/" + name);
`;
const FAKE_DECLARE = `
import { appendFileSync, writeFileSync } from "node:fs";
appendFileSync("ran.txt", "declare\\n");
for (const name of ["library", "gone"]) writeFileSync(process.argv[2] + "/command/" + name + ".d.ts", "");
`;
const MAIN = "exports.main = async (argv) => { console.log(argv.join()); return 7; };\n";

test("a fresh clone is installed and built, and each is said in one line on stderr", async () => {
  const root = makeCheckout();
  const { status, stdout, stderr } = await runNode(root, "scripts/setup.mjs");
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: "",
    stderr: "toolcrib setup: installing dependencies\ntoolcrib setup: building\n",
  });
  expect(whatRan(root)).toEqual(["npm ci --include=dev --ignore-scripts", "build"]);
});

test("tools wait for who asks for them, and stay for who does not", async () => {
  const root = makeCheckout();
  const [a, tool] = [{ version: "1.0.0" }, { version: "1.0.0" }];
  const own = { devDependencies: { a: "1.0.0" } };
  writeLockfile(root, { "": own, "node_modules/a": a, "node_modules/tool": tool });
  await runNode(root, "scripts/setup.mjs");
  const { stderr } = await runNode(root, "scripts/setup.mjs", "--tools");
  expect(stderr).toBe("toolcrib setup: installing dependencies and tools\n");
  expect((await runNode(root, "scripts/setup.mjs")).stderr).toBe("");
  expect((await runNode(root, "scripts/setup.mjs", "--tools")).stderr).toBe("");
  expect(whatRan(root)).toEqual([
    "npm ci --include=dev --ignore-scripts",
    "build",
    "npm ci --include=dev --ignore-scripts --workspaces=null",
  ]);
});

test("what the build needs is installed, however deep npm put it", async () => {
  const root = makeCheckout();
  const packages = {
    "node_modules/a": { version: "1.0.0", dependencies: { b: "1.0.0" } },
    "node_modules/a/node_modules/b": { version: "1.0.0", dependencies: { c: "1.0.0" } },
    "node_modules/c": { version: "1.0.0" },
  };
  writeLockfile(root, packages);
  await runNode(root, "scripts/setup.mjs");
  const record = { packages: { ...packages, "node_modules/c": { version: "0.9.0" } } };
  writeFileSync(join(root, "node_modules/.package-lock.json"), JSON.stringify(record));
  expect((await runNode(root, "scripts/setup.mjs")).stderr).toBe("toolcrib setup: installing dependencies\n");
});

test("nothing happens when nothing changed", async () => {
  const root = makeCheckout();
  await runNode(root, "scripts/setup.mjs");
  expect(await runNode(root, "scripts/setup.mjs")).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(whatRan(root)).toHaveLength(2);
});

test("a changed source is built again, a changed test is not", async () => {
  const root = makeCheckout();
  await runNode(root, "scripts/setup.mjs");
  writeFileSync(join(root, "src/main.test.ts"), "");
  await runNode(root, "scripts/setup.mjs");
  expect(whatRan(root)).toHaveLength(2);
  writeFileSync(join(root, "src/other.ts"), "");
  await runNode(root, "scripts/setup.mjs");
  expect(whatRan(root).slice(2)).toEqual(["build"]);
});

test("a page, a style and a script of the build count as sources", async () => {
  const root = makeCheckout();
  await runNode(root, "scripts/setup.mjs");
  for (const path of ["src/index.html", "src/style.css", "scripts/build/part.mjs"]) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), "");
    await runNode(root, "scripts/setup.mjs");
  }
  expect(whatRan(root).slice(2)).toEqual(["build", "build", "build"]);
});

test("types are declared for who packs or checks a package, once, and nobody else waits for that", async () => {
  const root = makeCheckout();
  const { stderr } = await runNode(root, "scripts/setup.mjs", "--declare");
  expect(stderr).toMatch(/building\ntoolcrib setup: declaring types\n$/);
  expect(await runNode(root, "scripts/setup.mjs", "--declare")).toEqual({ status: 0, stdout: "", stderr: "" });
  writeFileSync(join(root, "src/other.ts"), "");
  await runNode(root, "scripts/setup.mjs");
  // Scripts are checked against those of the build before; what has no source any more is gone.
  expect(["library", "gone"].map((name) => existsSync(join(root, `dist/command/${name}.d.ts`)))).toEqual([true, false]);
  await runNode(root, "scripts/setup.mjs", "--declare");
  expect(whatRan(root).slice(1)).toEqual(["build", "declare", "build", "declare"]);
});

test("a lockfile that names another version is installed again; an absent optional package is fine", async () => {
  const root = makeCheckout();
  await runNode(root, "scripts/setup.mjs");
  writeLockfile(root, {
    "node_modules/a": { version: "1.0.0" },
    "node_modules/b": { version: "1.0.0", optional: true },
  });
  await runNode(root, "scripts/setup.mjs");
  expect(whatRan(root).slice(2)).toEqual(["build"]);
  writeLockfile(root, { "node_modules/a": { version: "1.0.1" } });
  await runNode(root, "scripts/setup.mjs");
  expect(whatRan(root).slice(3)).toEqual(["npm ci --include=dev --ignore-scripts", "build"]);
});

test("a failed build shows its output, exits non-zero and leaves the last good build", async () => {
  const root = makeCheckout();
  await runNode(root, "scripts/setup.mjs");
  writeFileSync(join(root, "src/other.ts"), "");
  writeFileSync(join(root, "broken"), "");
  const { status, stderr } = await runNode(root, "scripts/setup.mjs");
  expect(status).toBe(1);
  expect(stderr).toBe(
    "toolcrib setup: building\nsrc/a.ts:1:1: ERROR: no\ntoolcrib setup: building failed (exit status 2)\n",
  );
  expect(existsSync(join(root, "dist/command/main.cjs"))).toBe(true);
});

test("processes that start together do the work once", async () => {
  const root = makeCheckout();
  const runs = await Promise.all([1, 2, 3].map(() => runNode(root, "scripts/setup.mjs")));
  expect(runs.map(({ status }) => status)).toEqual([0, 0, 0]);
  expect(whatRan(root)).toEqual(["npm ci --include=dev --ignore-scripts", "build"]);
});

test("a lock left by a process that is gone does not block", async () => {
  const root = makeCheckout();
  const gone = await new Promise<number>((resolve) => {
    const child = spawn(process.execPath, ["-e", ""]);
    child.on("close", () => resolve(child.pid ?? 0));
  });
  mkdirSync(join(root, ".setup"));
  writeFileSync(join(root, ".setup/lock"), String(gone));
  expect((await runNode(root, "scripts/setup.mjs")).status).toBe(0);
});

test("the command sets up a checkout without a build, and keeps stdout for its own output", async () => {
  const root = makeCheckout();
  const first = await runNode(root, "bin/toolcrib.js", "list", "--json");
  expect(first).toMatchObject({ status: 7, stdout: "list,--json\n" });
  expect(first.stderr).toContain("toolcrib setup: building\n");
  expect(await runNode(root, "bin/toolcrib.js", "why")).toEqual({ status: 7, stdout: "why\n", stderr: "" });
});

test("the command works through a link, as npm installs it", async () => {
  const root = makeCheckout();
  symlinkSync(join(root, "bin/toolcrib.js"), join(root, "linked.js"));
  expect(await runNode(root, "linked.js", "a")).toMatchObject({ status: 7, stdout: "a\n" });
});

test("the command fails when its setup fails", async () => {
  const root = makeCheckout();
  writeFileSync(join(root, "broken"), "");
  const { status, stdout, stderr } = await runNode(root, "bin/toolcrib.js", "list");
  expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
  expect(stderr).toContain("building failed");
});

test("an old Node is told apart in one line", async () => {
  const root = makeCheckout();
  const preload = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.18.3'})";
  expect(await runNode(root, "--import", preload, "bin/toolcrib.js")).toEqual({
    status: 2,
    stdout: "",
    stderr: "toolcrib needs Node 20.19 or newer; this is 20.18.3\n",
  });
});

/** A small checkout with the real scripts, one source and stand-ins for npm and the build. */
function makeCheckout(): string {
  const root = mkdtempSync(join(tmpdir(), "toolcrib-setup-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const path of ["scripts/setup.mjs", "bin/toolcrib.js", "bin/package.json"]) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    copyFileSync(join(CHECKOUT, path), join(root, path));
  }
  mkdirSync(join(root, "src"));
  mkdirSync(join(root, "path"));
  writeFileSync(join(root, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(root, "src/main.ts"), MAIN);
  writeFileSync(join(root, "scripts/build.mjs"), FAKE_BUILD);
  writeFileSync(join(root, "scripts/declare.mjs"), FAKE_DECLARE);
  writeFileSync(join(root, "path/package.json"), '{ "type": "commonjs" }\n');
  writeFileSync(join(root, "path/npm"), FAKE_NPM);
  chmodSync(join(root, "path/npm"), 0o755);
  writeLockfile(root, { "node_modules/a": { version: "1.0.0" } });
  return root;
}

function writeLockfile(root: string, packages: Readonly<Record<string, object>>): void {
  writeFileSync(
    join(root, "package-lock.json"),
    JSON.stringify({ packages: { "": { devDependencies: { a: "1" } }, ...packages } }),
  );
}

function whatRan(root: string): string[] {
  return readFileSync(join(root, "ran.txt"), "utf8").trim().split("\n");
}

function runNode(root: string, ...args: string[]): Promise<{ status: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, PATH: `${join(root, "path")}${delimiter}${process.env.PATH}` },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}
