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

/** Stands in for `npm ci`: records that it ran, and installs a compiler that copies one file. */
const FAKE_NPM = `#!${process.execPath}
const { appendFileSync, copyFileSync, mkdirSync, writeFileSync } = require("node:fs");
appendFileSync("ran.txt", "npm " + process.argv.slice(2).join(" ") + "\\n");
mkdirSync("node_modules/typescript/bin", { recursive: true });
copyFileSync("package-lock.json", "node_modules/.package-lock.json");
copyFileSync("fake-tsc.cjs", "node_modules/typescript/bin/tsc");
`;
const FAKE_TSC = `
const { appendFileSync, copyFileSync, existsSync, mkdirSync } = require("node:fs");
appendFileSync("ran.txt", "tsc\\n");
if (existsSync("broken")) { console.log("src/a.ts(1,1): error TS1: no"); process.exit(2); }
const out = process.argv[process.argv.indexOf("--outDir") + 1];
mkdirSync(out + "/surfaces/cli", { recursive: true });
copyFileSync("src/main.ts", out + "/surfaces/cli/main.js");
`;
const FAKE_PAGE_BUILD = `
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
appendFileSync("ran.txt", "page\\n");
mkdirSync(process.argv[2]);
writeFileSync(process.argv[2] + "/index.html", "");
`;
const FAKE_BUNDLER = `
import { cpSync } from "node:fs";
cpSync(process.argv[2] + "/surfaces/cli", process.argv[2] + "/command", { recursive: true });
`;
const MAIN = "export const main = async (argv) => { console.log(argv.join()); return 7; };\n";

test("a fresh clone is installed and built, and each is said in one line on stderr", async () => {
  const root = makeCheckout();
  const { status, stdout, stderr } = await runNode(root, "scripts/setup.mjs");
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: "",
    stderr: ["installing dependencies", "building", "bundling the command", "choosing the public types"]
      .map((what) => `toolcrib setup: ${what}\n`)
      .join(""),
  });
  expect(whatRan(root)).toEqual(["npm ci --include=dev --ignore-scripts", "tsc"]);
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
  expect(whatRan(root).slice(2)).toEqual(["tsc"]);
});

test("the inspector's page is built with the rest, and again when its style changes", async () => {
  const root = makeCheckout();
  const page = join(root, "src/surfaces/inspector");
  mkdirSync(page, { recursive: true });
  writeFileSync(join(page, "index.html"), "");
  writeFileSync(join(root, "scripts/build-inspector.mjs"), FAKE_PAGE_BUILD);
  const { stderr } = await runNode(root, "scripts/setup.mjs");
  expect(stderr).toContain("toolcrib setup: building the inspector\n");
  expect(existsSync(join(root, "dist/inspector/index.html"))).toBe(true);
  writeFileSync(join(page, "style.css"), "");
  await runNode(root, "scripts/setup.mjs");
  expect(whatRan(root).slice(1)).toEqual(["tsc", "page", "tsc", "page"]);
});

test("a lockfile that names another version is installed again; an absent optional package is fine", async () => {
  const root = makeCheckout();
  await runNode(root, "scripts/setup.mjs");
  writeLockfile(root, {
    "node_modules/a": { version: "1.0.0" },
    "node_modules/b": { version: "1.0.0", optional: true },
  });
  await runNode(root, "scripts/setup.mjs");
  expect(whatRan(root).slice(2)).toEqual(["tsc"]);
  writeLockfile(root, { "node_modules/a": { version: "1.0.1" } });
  await runNode(root, "scripts/setup.mjs");
  expect(whatRan(root).slice(3)).toEqual(["npm ci --include=dev --ignore-scripts", "tsc"]);
});

test("a failed build shows its output, exits non-zero and leaves the last good build", async () => {
  const root = makeCheckout();
  await runNode(root, "scripts/setup.mjs");
  writeFileSync(join(root, "src/other.ts"), "");
  writeFileSync(join(root, "broken"), "");
  const { status, stderr } = await runNode(root, "scripts/setup.mjs");
  expect(status).toBe(1);
  expect(stderr).toBe(
    "toolcrib setup: building\nsrc/a.ts(1,1): error TS1: no\ntoolcrib setup: building failed (exit status 2)\n",
  );
  expect(existsSync(join(root, "dist/command/main.js"))).toBe(true);
});

test("processes that start together do the work once", async () => {
  const root = makeCheckout();
  const runs = await Promise.all([1, 2, 3].map(() => runNode(root, "scripts/setup.mjs")));
  expect(runs.map(({ status }) => status)).toEqual([0, 0, 0]);
  expect(whatRan(root)).toEqual(["npm ci --include=dev --ignore-scripts", "tsc"]);
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

/** A small checkout with the real scripts, one source and stand-ins for npm and the compiler. */
function makeCheckout(): string {
  const root = mkdtempSync(join(tmpdir(), "toolcrib-setup-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const path of ["scripts/setup.mjs", "bin/toolcrib.js"]) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    copyFileSync(join(CHECKOUT, path), join(root, path));
  }
  mkdirSync(join(root, "src"));
  mkdirSync(join(root, "path"));
  writeFileSync(join(root, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(root, "src/main.ts"), MAIN);
  writeFileSync(join(root, "fake-tsc.cjs"), FAKE_TSC);
  writeFileSync(join(root, "scripts/bundle-command.mjs"), FAKE_BUNDLER);
  writeFileSync(join(root, "scripts/leave-out-types.mjs"), "");
  writeFileSync(join(root, "path/package.json"), '{ "type": "commonjs" }\n');
  writeFileSync(join(root, "path/npm"), FAKE_NPM);
  chmodSync(join(root, "path/npm"), 0o755);
  writeLockfile(root, { "node_modules/a": { version: "1.0.0" } });
  return root;
}

function writeLockfile(root: string, packages: Readonly<Record<string, object>>): void {
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: { "": {}, ...packages } }));
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
