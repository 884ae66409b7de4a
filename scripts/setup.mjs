// Makes a checkout ready to run: installs what package-lock.json names and builds dist, each only when needed. What only
// tests and checks use is in tools/package.json, three quarters of all, and waits for `--tools`.
// Depends on nothing but Node, is silent when there is nothing to do, and speaks on stderr only.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BUILT = join(".setup", "built");
const DECLARED = join(".setup", "declared");
const SOURCE = /\.(?:tsx?|css|html|svg|programs|txt)$/;
const BUILT_BY = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];
const BUILD_SCRIPT = /^(?:build|declare)\b.*\.mjs$/;
const LOCK_PATIENCE_MS = 10 * 60_000;
const INSTALLING = { isDone: isInstalled, perform: install };
const INSTALLING_ALL = { isDone: isAllInstalled, perform: installAll };
const BUILDING = { isDone: isBuilt, perform: build };
/** What a package has beside what runs; it takes as long as everything else, and only who packs or checks it waits. */
const DECLARING = { isDone: isDeclared, perform: declare };

/**
 * Installs and builds what is out of date. Two processes that find the same work to do take turns.
 * @param {string} [root] the checkout
 * @param {{ declares?: boolean, tools?: boolean }} [options] whether a package can be made of it, and whether it can be tested
 * @returns {boolean} whether the checkout is ready; if not, the reason is already on stderr
 */
export function ensureReady(root = ROOT, { declares = false, tools = false } = {}) {
  const steps = [tools ? INSTALLING_ALL : INSTALLING, BUILDING, ...(declares ? [DECLARING] : [])];
  if (steps.every((step) => step.isDone(root))) return true;
  const release = acquireLock(join(root, ".setup"));
  try {
    return steps.every((step) => step.isDone(root) || step.perform(root));
  } finally {
    release();
  }
}

/** @param {string} root */
function isInstalled(root) {
  return hasInstalled(root, buildPackages);
}

/** @param {string} root */
function isAllInstalled(root) {
  // The first entry is the checkout itself, of which npm keeps no record among what it installed.
  return hasInstalled(root, (locked) => [...locked.keys()].filter((path) => path !== ""));
}

/**
 * Compares what npm recorded in node_modules with the lockfile, package by package.
 * Optional packages may be absent: those of other platforms are never installed.
 * @param {string} root
 * @param {(locked: ReadonlyMap<string, Locked>) => Iterable<string>} choose
 */
function hasInstalled(root, choose) {
  const record = readText(join(root, "node_modules", ".package-lock.json"));
  if (record === undefined) return false;
  const installed = packagesOf(record);
  const locked = packagesOf(readFileSync(join(root, "package-lock.json"), "utf8"));
  for (const path of choose(locked)) {
    const { version, integrity, optional, devOptional } = locked.get(path) ?? {};
    const found = installed.get(path);
    if (found === undefined && optional !== true && devOptional !== true) return false;
    if (found !== undefined && (found.version !== version || found.integrity !== integrity)) return false;
  }
  return [...installed.keys()].every((path) => locked.has(path));
}

/**
 * Where the packages are that the checkout's own manifest asks for, and those that they need.
 * @param {ReadonlyMap<string, Locked>} locked
 */
function buildPackages(locked) {
  const found = new Set([""]);
  for (const owner of found) {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } = locked.get(owner) ?? {};
    const needed = { ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies };
    for (const name of Object.keys(needed)) {
      const path = placesSeenFrom(owner, name).find((place) => locked.has(place));
      if (path !== undefined) found.add(path);
    }
  }
  found.delete("");
  return found;
}

/**
 * The nearest first, as Node looks.
 * @param {string} owner
 * @param {string} name
 */
function placesSeenFrom(owner, name) {
  const places = [];
  for (let folder = owner; folder !== ""; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/"))))
    places.push(`${folder}/node_modules/${name}`);
  return [...places, `node_modules/${name}`];
}

/** @param {string} root */
function install(root) {
  return runInstall(root, "installing dependencies");
}

/** @param {string} root */
function installAll(root) {
  // `.npmrc` leaves the workspace of the tools out, for everybody who installs from git; null is npm's own default.
  return runInstall(root, "installing dependencies and tools", "--workspaces=null");
}

/**
 * The build needs the development dependencies even where NODE_ENV says "production". No script of theirs is run, and
 * none of ours: `prepare` is this very file, and would wait for the lock that is held here.
 * @param {string} root
 * @param {string} what
 * @param {string[]} further
 */
function runInstall(root, what, ...further) {
  return run(root, what, "npm", ["ci", "--include=dev", "--ignore-scripts", ...further]);
}

/** @param {string} root */
function isBuilt(root) {
  return existsSync(join(root, "dist")) && readText(join(root, BUILT)) === buildStamp(root);
}

/**
 * Builds beside dist and swaps, so that a failed build leaves the last good one and a deleted source leaves nothing.
 * @param {string} root
 */
function build(root) {
  const stamp = buildStamp(root);
  const dist = join(root, "dist");
  const fresh = join(root, ".setup", "fresh");
  const stale = join(root, ".setup", "stale");
  for (const folder of [fresh, stale]) rmSync(folder, { recursive: true, force: true });
  if (!run(root, "building", process.execPath, [join(root, "scripts", "build.mjs"), fresh])) return false;
  rmSync(join(root, DECLARED), { force: true });
  keepDeclarations(dist, fresh);
  if (existsSync(dist)) renameSync(dist, stale);
  renameSync(fresh, dist);
  rmSync(stale, { recursive: true, force: true });
  writeFileSync(join(root, BUILT), stamp);
  return true;
}

/**
 * Scripts and benchmarks are checked against declarations, and most changes leave those as they are.
 * @param {string} from
 * @param {string} to
 */
function keepDeclarations(from, to) {
  if (!existsSync(from)) return;
  for (const path of readdirSync(from, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".d.ts") || !existsSync(join(to, path.replace(/\.d\.ts$/, ".js")))) continue;
    copyFileSync(join(from, path), join(to, path));
  }
}

/** @param {string} root */
function isDeclared(root) {
  return readText(join(root, DECLARED)) === buildStamp(root);
}

/** @param {string} root */
function declare(root) {
  const stamp = buildStamp(root);
  const script = join(root, "scripts", "declare.mjs");
  if (!run(root, "declaring types", process.execPath, [script, join(root, "dist")])) return false;
  writeFileSync(join(root, DECLARED), stamp);
  return true;
}

/**
 * A hash over everything the build reads.
 * @param {string} root
 */
function buildStamp(root) {
  const hash = createHash("sha256");
  /** @param {string} folder */
  const filesIn = (folder) => readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).sort();
  const scripts = filesIn("scripts").filter((path) => BUILD_SCRIPT.test(path));
  const sources = filesIn("src").filter((path) => SOURCE.test(path) && !/\.test(-d)?\.ts$/.test(path));
  const made = [...scripts.map((path) => join("scripts", path)), ...sources.map((path) => join("src", path))];
  for (const path of [...BUILT_BY, ...made]) {
    hash
      .update(path)
      .update("\0")
      .update(readText(join(root, path)) ?? "")
      .update("\0");
  }
  return hash.digest("hex");
}

/**
 * Runs a command quietly; its output is shown only when it fails.
 * @param {string} root
 * @param {string} what
 * @param {string} command
 * @param {string[]} args
 */
function run(root, what, command, args) {
  process.stderr.write(`toolcrib setup: ${what}\n`);
  const result = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32" && command === "npm",
  });
  if (result.status === 0) return true;
  const reason =
    result.error?.message ?? (result.signal ? `killed by ${result.signal}` : `exit status ${result.status}`);
  const output = `${result.stdout ?? ""}${result.stderr ?? ""}`.trimEnd();
  process.stderr.write(`${output === "" ? "" : `${output}\n`}toolcrib setup: ${what} failed (${reason})\n`);
  return false;
}

/**
 * Waits for the lock of the checkout; one left behind by a process that is gone is taken over.
 * @param {string} folder
 * @returns {() => void} gives the lock back
 */
function acquireLock(folder) {
  const path = join(folder, "lock");
  const deadline = Date.now() + LOCK_PATIENCE_MS;
  mkdirSync(folder, { recursive: true });
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx" });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw error;
    }
    if (isAbandoned(path)) rmSync(path, { force: true });
    else if (Date.now() > deadline) throw new Error(`toolcrib setup: another setup holds ${path}`);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
}

/** @param {string} path */
function isAbandoned(path) {
  const pid = Number(readText(path));
  // A lock without a number is one that is being written this moment, unless it is old.
  if (!pid) return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) < Date.now() - 5_000;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return isCode(error, "ESRCH");
  }
}

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean, dependencies?: object,
 *   devDependencies?: object, optionalDependencies?: object, peerDependencies?: object }} Locked
 * @param {string} text of a lockfile
 * @returns {Map<string, Locked>}
 */
function packagesOf(text) {
  return new Map(Object.entries(JSON.parse(text).packages ?? {}));
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function isCode(error, code) {
  return error instanceof Error && "code" in error && error.code === code;
}

// Last, because everything above must exist by then.
if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const options = { declares: process.argv.includes("--declare"), tools: process.argv.includes("--tools") };
  process.exitCode = ensureReady(ROOT, options) ? 0 : 1;
}
